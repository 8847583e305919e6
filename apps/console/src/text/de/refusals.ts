import type { Refusal, RefusalCode, RefusalText } from '../en/refusals.ts'
import type { Text } from '../en.ts'

/** Keeps the sentence of the service where a code or a field stands for several causes. */
const withSentence =
  (german: string) =>
  ({ sentence }: Pick<Refusal, 'sentence'>): string =>
    `${german}. Meldung des Dienstes: „${sentence}“`

/** With the value of a detail, where the service sent it. */
const withDetail =
  (name: string, plain: string, exact: (value: string) => string) =>
  ({ details }: Refusal): string =>
    details[name] === undefined ? plain : exact(details[name])

const invalid = 'Etwas an den Eingaben stimmt nicht'
const sizes = 'höchstens 1024 Byte, davon höchstens 255 Byte zwischen zwei Schrägstrichen'
const parts = `Leere Teile, . und .. sind nicht möglich. Möglich sind ${sizes}`
const folder = `Das muss ein Ordner sein, etwa 2026/fotos/. ${parts}`
const webAddress = 'Das muss eine https-Adresse ohne Benutzernamen, Passwort und Fragment (#) sein'
const port = 'Der Port muss der eines Webdienstes sein'

const limits: Readonly<Record<string, string>> = {
  vaultIds: 'Der API-Schlüssel gilt nur für andere Tresore, Ordner oder Handlungen',
  prefixes: 'Der API-Schlüssel gilt nur für andere Ordner',
  verbs: 'Der API-Schlüssel gilt nur für andere Handlungen',
  bytesPerDay: 'Für den API-Schlüssel gilt eine Grenze in Byte am Tag. Damit geht das nicht',
  addresses: 'Von dieser Adresse aus gilt der API-Schlüssel nicht',
}

const codes: Readonly<Record<RefusalCode, RefusalText>> = {
  validation_failed: (refusal) => (refusal.details.issues === undefined ? withSentence(invalid)(refusal) : invalid),
  digest_mismatch: 'Der Inhalt passt nicht zur Prüfsumme, die mit ihm kam. Laden Sie die Datei noch einmal hoch',
  path_too_long: 'Der Name oder der Pfad ist zu lang',
  unauthenticated: 'Die Anmeldung gilt nicht oder nicht mehr. Melden Sie sich noch einmal an',
  api_key_revoked: 'Der API-Schlüssel wurde widerrufen',
  api_key_expired: 'Der API-Schlüssel ist abgelaufen',
  insufficient_scope: withDetail(
    'requiredScope',
    'Dem API-Schlüssel fehlt ein Bereich, der dafür nötig ist',
    (scope) => `Dem API-Schlüssel fehlt der Bereich ${scope}`,
  ),
  outside_key_limits: (refusal) =>
    withSentence(limits[refusal.details.limit ?? ''] ?? 'Die Grenzen des API-Schlüssels erlauben das nicht')(refusal),
  foreign_origin:
    'Im Entwicklungsmodus nimmt der Dienst nur Anfragen von Seiten an, deren Ursprung in CORS_ORIGINS steht',
  password_required: 'Dieser Link verlangt ein Passwort',
  wrong_password: 'Das ist nicht das Passwort',
  quota_exceeded: withDetail(
    'quotaBytes',
    'Im Kontingent des Kontos ist dafür kein Platz mehr. Löschen Sie erst Dateien endgültig',
    (quota) => `Im Kontingent des Kontos von ${quota} ist dafür kein Platz mehr. Löschen Sie erst Dateien endgültig`,
  ),
  not_found: 'Das gibt es nicht oder nicht mehr',
  method_not_allowed: 'Das ist hier nicht vorgesehen',
  request_timeout: 'Die Übertragung ist stehen geblieben. Versuchen Sie es noch einmal',
  upload_incomplete: 'Der Inhalt ist noch nicht vollständig hochgeladen',
  upload_mismatch: 'Hochgeladen wurde nicht der Inhalt, der angekündigt war. Laden Sie die Datei noch einmal hoch',
  upload_lost: 'Der Objektspeicher hat den Upload verloren. Laden Sie die Datei noch einmal hoch',
  upload_in_progress: 'Der Upload wird gerade bestätigt. Versuchen Sie es gleich noch einmal',
  not_downloadable: 'Die Datei lässt sich noch nicht herunterladen: Der Upload ist noch nicht bestätigt',
  visibility_mismatch: 'Dateien können nur in einen Tresor kommen, der ebenso öffentlich oder privat ist',
  path_taken: 'Unter diesem Pfad liegt schon eine andere Datei. Wählen Sie einen anderen',
  id_taken: 'Diese Kennung ist vergeben oder war es einmal',
  state_conflict: (refusal) =>
    refusal.details.vaultId === undefined
      ? withSentence('Das ist gerade nicht möglich')(refusal)
      : 'Der Tresor der Datei ist im Papierkorb. Stellen Sie den Tresor wieder her',
  content_lost: withDetail(
    'path',
    'Der Inhalt der Datei ist verloren',
    (path) => `Der Inhalt von ${path} ist verloren`,
  ),
  too_large: ({ sentence, details: { maxSizeBytes, filesMax } }) => {
    if (maxSizeBytes !== undefined) return `Das ist zu groß. Möglich sind höchstens ${maxSizeBytes}`
    if (filesMax !== undefined) return `Das sind zu viele Dateien für ein Archiv. Möglich sind höchstens ${filesMax}`
    return withSentence('Das ist zu groß')({ sentence })
  },
  unsupported_media_type: withSentence('Dateien dieser Art werden hier nicht angenommen'),
  range_not_satisfiable: 'Dieser Bereich liegt außerhalb der Datei',
  expectation_failed: withSentence('Die Anfrage lässt sich nicht erfüllen'),
  rate_limited: 'Zu viele Anfragen. Versuchen Sie es gleich noch einmal',
  key_bytes_spent: withDetail(
    'bytesPerDay',
    'Der API-Schlüssel hat übertragen, was er an einem Tag darf',
    (max) => `Der API-Schlüssel hat die ${max} übertragen, die er an einem Tag darf`,
  ),
  too_many_open_uploads: 'Zu viele Uploads sind offen. Schließen Sie erst einige ab, oder brechen Sie einige ab',
  too_many_jobs: 'Zu viele Aufträge des Kontos sind noch nicht zu Ende. Warten Sie, oder brechen Sie einen ab',
  too_many_api_keys: 'Das Konto hat die Höchstzahl an API-Schlüsseln erreicht. Widerrufen Sie erst einen',
  too_many_links: withDetail(
    'linksMax',
    'Das Konto hat zu viele Links. Widerrufene zählen noch eine Woche lang',
    (max) => `Ein Konto kann höchstens ${max} Links haben. Widerrufene zählen noch eine Woche lang`,
  ),
  too_many_webhooks: 'Das Konto hat die Höchstzahl an Webhooks erreicht. Löschen Sie erst einen',
  too_many_folders: 'Der Tresor hat die Höchstzahl an leeren Ordnern erreicht',
  vault_not_empty: 'Der Tresor enthält Dateien. Löschen Sie diese zuerst',
  misdirected_request:
    'Im Entwicklungsmodus antwortet der Dienst nur unter localhost, dem Host von PUBLIC_URL und denen von DEVELOPMENT_HOSTS',
  idempotency_key_reused: 'Das war schon eine andere Anfrage. Beginnen Sie von vorn',
  internal: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es später noch einmal',
  confirm_in_progress: 'Der Objektspeicher arbeitet noch an dem Upload. Versuchen Sie es gleich noch einmal',
  unavailable: 'Der Dienst ist gerade nicht erreichbar oder überlastet. Versuchen Sie es gleich noch einmal',
  restoring: 'Der Inhalt der Datei wird gerade aus einem Archiv zurückgeholt. Versuchen Sie es später noch einmal',
  bucket_failed: withSentence(
    'Der Bucket hat den Export nicht angenommen. Prüfen Sie Endpunkt, Region und Zugangsdaten',
  ),
}

export const deRefusals: Text['refusals'] = {
  codes,
  fields: {
    accessKeyId: 'Das muss eine Zugriffsschlüssel-ID sein, ohne Leerzeichen und höchstens 128 Zeichen lang',
    addresses: 'Das müssen Adressen oder Netze sein, etwa 192.0.2.7 oder 192.0.2.0/24',
    bucket: 'Das muss der Name eines Buckets sein: 3 bis 63 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
    endpoint: `${webAddress}. Eine Abfrage (?) ist nicht möglich`,
    events: 'Mindestens eins ist nötig',
    expiresAt: 'Das muss in der Zukunft liegen',
    metadata:
      'Höchstens 50 Paare und zusammen höchstens 2048 Byte. Ein Schlüssel hat 1 bis 64 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
    mimeTypes: 'Das müssen Dateitypen sein, etwa image/png oder image/*',
    password: 'Mindestens 8 und höchstens 256 Zeichen',
    name: 'Das muss ein Name ohne Schrägstriche und Steuerzeichen sein, höchstens 255 Zeichen lang',
    path: `Das muss ein Pfad sein, etwa 2026/fotos/strand.jpg. ${parts}`,
    prefix: folder,
    prefixes: folder,
    region: 'Das muss eine Region sein, etwa eu-central-1',
    tags: 'Höchstens 50 Schlagwörter, jedes 1 bis 64 Zeichen lang',
    to: `${folder}. Es darf nicht der Ordner sein, aus dem die Dateien kommen`,
    url: `${webAddress}. Private und reservierte Adressen sind nicht möglich. ${port}`,
  },
  other: withSentence('Das geht so nicht'),
}
