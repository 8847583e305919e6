import type { Refusal, RefusalCode, RefusalText } from '../en/refusals.ts'
import type { Text } from '../en.ts'

/** Adds the message of the service where a code or a field has several causes. */
const withSentence =
  (german: string) =>
  ({ sentence }: Pick<Refusal, 'sentence'>): string =>
    `${german}. Meldung des Dienstes: „${sentence}“`

/** Shows the value of a detail if the service sent one. */
const withDetail =
  (name: string, plain: string, exact: (value: string) => string) =>
  ({ details }: Refusal): string =>
    details[name] === undefined ? plain : exact(details[name])

const invalid = 'Einige Werte sind nicht gültig'
const sizes = 'höchstens 1024 Byte lang sein, mit höchstens 255 Byte zwischen zwei Schrägstrichen'
const parts = `Leere Teile, . und .. sind nicht erlaubt. Der Pfad darf ${sizes}`
const folder = `Geben Sie einen Ordner an, zum Beispiel 2026/fotos/. ${parts}`
const webAddress = 'Geben Sie eine HTTPS-Adresse ohne Benutzernamen, Passwort und Fragment (#) an'
const port = 'Der Port muss für einen Webdienst zulässig sein'

const limits: Readonly<Record<string, string>> = {
  vaultIds: 'Der API-Schlüssel gilt nur für andere Tresore, Ordner oder Aktionen',
  prefixes: 'Der API-Schlüssel gilt nur für andere Ordner',
  verbs: 'Der API-Schlüssel gilt nur für andere Aktionen',
  bytesPerDay: 'Der API-Schlüssel hat eine Grenze in Byte pro Tag. Mit dieser Grenze ist das nicht möglich',
  addresses: 'Der API-Schlüssel gilt nicht für Anfragen von dieser Adresse',
}

const passkeyInvalid = 'Die Antwort des Passkeys ist ungültig. Versuchen Sie es erneut'
const passkeys: Readonly<Record<string, string>> = {
  unknown:
    'Der Passkey gehört nicht zu dieser Installation. Verwenden Sie einen anderen oder den Wiederherstellungscode',
  origin: 'Der Passkey gilt für eine andere Adresse. Öffnen Sie die Konsole unter der Adresse der Installation',
  challenge: 'Die Anmeldung hat zu lange gedauert. Versuchen Sie es erneut',
  verification: 'Das Gerät hat Sie nicht erkannt. Richten Sie PIN, Fingerabdruck oder Gesicht ein',
  counter:
    'Der Passkey wurde vielleicht kopiert. Verwenden Sie den Wiederherstellungscode, und löschen Sie den Passkey',
}

const codes: Readonly<Record<RefusalCode, RefusalText>> = {
  validation_failed: (refusal) => (refusal.details.issues === undefined ? withSentence(invalid)(refusal) : invalid),
  digest_mismatch: 'Der empfangene Inhalt passt nicht zur gesendeten Prüfsumme. Laden Sie die Datei erneut hoch',
  path_too_long: 'Der Name oder der Pfad ist zu lang',
  unauthenticated: 'Die Anmeldung ist ungültig oder abgelaufen. Melden Sie sich erneut an',
  api_key_revoked: 'Der API-Schlüssel wurde widerrufen',
  api_key_expired: 'Der API-Schlüssel ist abgelaufen',
  insufficient_scope: withDetail(
    'requiredScope',
    'Dem API-Schlüssel fehlt ein Scope, der dafür nötig ist',
    (scope) => `Dem API-Schlüssel fehlt der Scope ${scope}`,
  ),
  outside_key_limits: (refusal) =>
    withSentence(limits[refusal.details.limit ?? ''] ?? 'Die Grenzen des API-Schlüssels erlauben das nicht')(refusal),
  foreign_origin:
    'Im Entwicklungsmodus nimmt der Dienst nur Anfragen von Seiten an, deren Ursprung in CORS_ORIGINS steht',
  password_required: 'Für diesen Link ist ein Passwort nötig',
  wrong_password: 'Das Passwort ist falsch',
  wrong_recovery_code: 'Der Wiederherstellungscode ist falsch oder wurde schon verwendet',
  passkey_refused: (refusal) => passkeys[refusal.details.reason ?? ''] ?? passkeyInvalid,
  quota_exceeded: withDetail(
    'quotaBytes',
    'Das Kontingent des Kontos reicht dafür nicht aus. Löschen Sie zuerst Dateien endgültig',
    (quota) => `Das Kontingent des Kontos von ${quota} reicht dafür nicht aus. Löschen Sie zuerst Dateien endgültig`,
  ),
  invalid_part: 'Ein Teil des Uploads fehlt oder wurde ersetzt. Laden Sie ihn erneut hoch',
  invalid_part_order: 'Die Teile des Uploads sind nicht in aufsteigender Reihenfolge',
  entity_too_small: 'Ein Teil des Uploads ist kleiner als 5 MiB. Nur der letzte Teil darf kleiner sein',
  not_found: 'Das Element wurde nicht gefunden oder gelöscht',
  method_not_allowed: 'Diese Aktion ist hier nicht möglich',
  request_timeout: 'Bei der Übertragung wurde die Zeit überschritten. Versuchen Sie es erneut',
  upload_incomplete: 'Der Inhalt ist noch nicht vollständig hochgeladen',
  upload_mismatch: 'Der hochgeladene Inhalt weicht vom angekündigten ab. Laden Sie die Datei erneut hoch',
  upload_lost: 'Der Objektspeicher hat den Upload verloren. Laden Sie die Datei erneut hoch',
  upload_in_progress: 'Der Upload wird gerade bestätigt. Versuchen Sie es gleich erneut',
  not_downloadable: 'Die Datei kann noch nicht heruntergeladen werden: Der Upload ist noch nicht bestätigt',
  visibility_mismatch: 'Wählen Sie einen Tresor mit derselben Sichtbarkeit (öffentlich oder privat)',
  precondition_failed: 'Die Datei wurde inzwischen geändert. Laden Sie sie neu',
  slug_taken: 'Ein anderer Tresor hat diesen Namen bereits in seiner Adresse. Wählen Sie einen anderen',
  path_taken: 'Unter diesem Pfad liegt bereits eine andere Datei. Wählen Sie einen anderen Pfad',
  id_taken: 'Diese ID ist oder war bereits vergeben. Verwenden Sie eine andere ID',
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
    if (maxSizeBytes !== undefined) return `Die Größe überschreitet die Grenze von ${maxSizeBytes}`
    if (filesMax !== undefined) return `Zu viele Dateien für ein Archiv. Erlaubt sind höchstens ${filesMax}`
    return withSentence('Die Größe überschreitet eine Grenze')({ sentence })
  },
  unsupported_media_type: withSentence('Dieser Dateityp ist hier nicht erlaubt'),
  range_not_satisfiable: 'Der angeforderte Bereich liegt außerhalb der Datei',
  expectation_failed: withSentence('Der Expect-Header der Anfrage wird nicht unterstützt'),
  rate_limited: 'Zu viele Anfragen. Versuchen Sie es gleich erneut',
  key_bytes_spent: withDetail(
    'bytesPerDay',
    'Der API-Schlüssel hat seine Übertragungsgrenze für diesen Tag erreicht',
    (max) => `Der API-Schlüssel hat seine Übertragungsgrenze von ${max} pro Tag erreicht`,
  ),
  too_many_open_uploads: 'Zu viele Uploads sind offen. Schließen Sie zuerst einige ab, oder brechen Sie einige ab',
  too_many_jobs: 'Das Konto hat zu viele laufende Aufträge. Warten Sie, oder stoppen Sie einen Auftrag',
  too_many_api_keys: 'Das Konto hat die Höchstzahl an API-Schlüsseln erreicht. Widerrufen Sie zuerst einen Schlüssel',
  too_many_passkeys: 'Der Eigentümer hat die Höchstzahl an Passkeys erreicht. Löschen Sie zuerst einen Passkey',
  too_many_links: withDetail(
    'linksMax',
    'Das Konto hat zu viele Links. Widerrufene Links zählen noch eine Woche lang',
    (max) => `Ein Konto kann höchstens ${max} Links haben. Widerrufene Links zählen noch eine Woche lang`,
  ),
  too_many_webhooks: 'Das Konto hat die Höchstzahl an Webhooks erreicht. Löschen Sie zuerst einen Webhook',
  too_many_folders: 'Der Tresor hat die Höchstzahl an leeren Ordnern erreicht. Löschen Sie zuerst einen Ordner',
  vault_not_empty: 'Der Tresor enthält Dateien. Löschen Sie zuerst die Dateien',
  misdirected_request:
    'Im Entwicklungsmodus antwortet der Dienst nur unter localhost, dem Host von PUBLIC_URL und den Hosts von DEVELOPMENT_HOSTS',
  idempotency_key_reused:
    'Dieser Idempotenzschlüssel wurde schon für eine andere Anfrage verwendet. Beginnen Sie von vorn',
  internal: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es später erneut',
  confirm_in_progress: 'Der Objektspeicher verarbeitet den Upload noch. Versuchen Sie es gleich erneut',
  unavailable: 'Der Dienst ist gerade nicht erreichbar oder überlastet. Versuchen Sie es gleich erneut',
  restoring: 'Der Inhalt der Datei wird gerade aus einem Archiv wiederhergestellt. Versuchen Sie es später erneut',
  bucket_failed: withSentence(
    'Der Bucket hat den Export nicht angenommen. Prüfen Sie Endpunkt, Region und Zugangsdaten',
  ),
}

export const deRefusals: Text['refusals'] = {
  codes,
  fields: {
    accessKeyId: 'Geben Sie eine Zugriffsschlüssel-ID ohne Leerzeichen mit höchstens 128 Zeichen an',
    addresses: 'Geben Sie Adressen oder Netze an, zum Beispiel 192.0.2.7 oder 192.0.2.0/24',
    bucket: 'Geben Sie den Namen eines Buckets an: 3 bis 63 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
    endpoint: `${webAddress}. Eine Abfrage (?) ist nicht erlaubt`,
    events: 'Wählen Sie mindestens ein Ereignis aus',
    expiresAt: 'Geben Sie einen Zeitpunkt in der Zukunft an',
    metadata:
      'Erlaubt sind 50 Paare mit zusammen 2048 Byte. Ein Schlüssel hat 1 bis 64 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
    mimeTypes: 'Geben Sie Dateitypen an, zum Beispiel image/png oder image/*',
    password: 'Geben Sie 8 bis 256 Zeichen ein',
    name: 'Geben Sie einen Namen ohne Schrägstriche und Steuerzeichen mit höchstens 255 Zeichen an',
    path: `Geben Sie einen Pfad an, zum Beispiel 2026/fotos/strand.jpg. ${parts}`,
    prefix: folder,
    prefixes: folder,
    region: 'Geben Sie eine Region an, zum Beispiel eu-central-1',
    tags: 'Erlaubt sind höchstens 50 Tags mit jeweils 1 bis 64 Zeichen',
    to: `${folder}. Der Zielordner darf nicht der Quellordner sein`,
    url: `${webAddress}. Private und reservierte Adressen sind nicht erlaubt. ${port}`,
  },
  other: withSentence('Die Anfrage ist fehlgeschlagen'),
}
