import type { Text } from '../en.ts'
import { ofFields } from './refusals-of-fields.ts'

/** What the service says when it refuses something, by its own sentence (`test/unit/refusals.test.ts` finds what is missing). */
export const deRefusals: Text['refusals'] = {
  // Of a request as a whole.
  'The request body is not valid': 'Etwas an den Eingaben stimmt nicht',
  'The request query is not valid': 'Etwas an den Eingaben stimmt nicht',
  'The request path is not valid': 'Dieser Name ist nicht möglich',
  'The request headers are not valid': 'Etwas an der Anfrage stimmt nicht',
  'The request query must be percent-encoded UTF-8': 'Etwas an der Anfrage stimmt nicht',
  'The request body must be JSON in UTF-8': 'Die Anfrage muss JSON in UTF-8 sein',
  'The request body must be UTF-8': 'Die Anfrage muss in UTF-8 sein',
  'The request body must not be compressed': 'Die Anfrage darf nicht komprimiert sein',
  'The request body is too large': 'Die Anfrage ist zu groß',
  'The request could not be read': 'Die Anfrage war nicht lesbar',
  'The request did not arrive in time': 'Die Anfrage kam nicht rechtzeitig',
  "The request's line and headers are larger than {} KiB": 'Die Kopfzeilen der Anfrage sind größer als {} KiB',
  'The request has more than one header {}': 'Die Anfrage hat mehr als eine Kopfzeile {}',
  'The request has no header host': 'Der Anfrage fehlt die Kopfzeile host',
  'Of transfer codings only chunked can be read': 'Als Transfer-Encoding ist nur chunked lesbar',
  'Of expectations only 100-continue can be met': 'Von Expect ist nur 100-continue erfüllbar',
  'The request stopped before its body was complete': 'Die Übertragung ist stehen geblieben',
  'The bytes did not come': 'Die Übertragung ist ausgeblieben',
  'The body must be multipart/form-data': 'Die Anfrage muss multipart/form-data sein',
  'The form has no file': 'Das Formular hat keine Datei',
  'The file is not valid': 'Die Datei kann so nicht angenommen werden',
  'Exactly one of ids and prefix must be sent': 'Entweder Dateien oder ein Ordner, nicht beides',
  'Name fileIds alone, or a kind with filters': 'Entweder einzelne Dateien oder eine Art mit Filtern',
  'Give either deliveryIds or filters, not both': 'Entweder einzelne Zustellungen oder Filter',
  'The webhook URL cannot be used': 'Diese Adresse kann ein Webhook nicht haben',
  'The target of the export cannot be used: {}': 'Dieses Ziel kann der Export nicht haben: {}',
  'The method is not allowed here': 'Das ist hier nicht vorgesehen',
  'Not found': 'Nicht gefunden',
  'Internal error': 'Im Dienst ist ein Fehler aufgetreten',
  'Temporarily unavailable': 'Der Dienst ist gerade nicht erreichbar',
  'The service is temporarily unavailable': 'Der Dienst ist gerade nicht erreichbar',
  'The service is restarting': 'Der Dienst startet gerade neu',
  'The service has too much to do': 'Der Dienst ist gerade überlastet',
  'The database is temporarily unavailable': 'Die Datenbank ist gerade nicht erreichbar',
  'The message broker is temporarily unavailable': 'Die Nachrichtenvermittlung ist gerade nicht erreichbar',
  'The object storage is temporarily unavailable': 'Der Objektspeicher ist gerade nicht erreichbar',
  'The storage network is temporarily unavailable': 'Das Speichernetz ist gerade nicht erreichbar',
  'The identity provider is temporarily unavailable': 'Der Anmeldedienst ist gerade nicht erreichbar',
  'Authentication is temporarily unavailable': 'Die Anmeldung kann gerade nicht geprüft werden',
  'The console is not built yet': 'Die Konsole ist noch nicht gebaut',
  'The client has gone': 'Die Verbindung ist abgebrochen',
  // Of who asks.
  'Authentication failed: no valid API key or token was sent': 'Die Anmeldung gilt nicht oder nicht mehr',
  'Not authenticated': 'Sie sind nicht angemeldet',
  'There is no such account': 'Dieses Konto gibt es nicht',
  'The API key is not known': 'Dieser API-Schlüssel ist nicht bekannt',
  'The API key has been revoked': 'Der API-Schlüssel wurde widerrufen',
  'The API key has expired': 'Der API-Schlüssel ist abgelaufen',
  'The API key has been revoked or has expired': 'Der API-Schlüssel wurde widerrufen oder ist abgelaufen',
  'The API key lacks a required scope': 'Dem API-Schlüssel fehlt ein Bereich, der dafür nötig ist',
  'The API key has moved as many bytes as it may in a day':
    'Der API-Schlüssel hat übertragen, was er an einem Tag darf',
  'The API key may not be used from this address': 'Von dieser Adresse aus gilt der API-Schlüssel nicht',
  'A key can only grant scopes it holds itself': 'Ein Schlüssel kann nur Bereiche erlauben, die er selbst hat',
  'Development mode answers to localhost, the host of PUBLIC_URL and those of DEVELOPMENT_HOSTS only':
    'Im Entwicklungsmodus antwortet der Dienst nur unter localhost, dem Host von PUBLIC_URL und denen von DEVELOPMENT_HOSTS',
  'Development mode takes no requests of pages whose origin is not in CORS_ORIGINS':
    'Im Entwicklungsmodus nimmt der Dienst keine Anfragen von Seiten an, deren Ursprung nicht in CORS_ORIGINS steht',
  // Of limits.
  'Too many requests': 'Zu viele Anfragen. Versuchen Sie es gleich noch einmal',
  'Too many requests at once on one connection': 'Zu viele Anfragen zugleich auf einer Verbindung',
  'Too many slow requests at once': 'Zu viele langsame Anfragen zugleich. Versuchen Sie es gleich noch einmal',
  'Too many downloads and uploads are under way': 'Zu viele Übertragungen sind im Gang',
  'Too many downloads and uploads of your account': 'Zu viele Übertragungen mit Ihrem Konto',
  'Too many downloads and uploads of your address': 'Zu viele Übertragungen von Ihrer Adresse aus',
  'Too many downloads and uploads of your network': 'Zu viele Übertragungen aus Ihrem Netz',
  'Too many downloads are under way': 'Zu viele Downloads sind im Gang',
  'Too many uploads are open; confirm some first': 'Zu viele Uploads sind offen. Schließen Sie erst einige ab',
  'Too many passwords were tried': 'Zu viele Passwörter wurden versucht',
  'Too many passwords are being checked': 'Zu viele Passwörter werden gerade geprüft',
  'Too many clients wait for news': 'Zu viele Programme warten auf Neuigkeiten',
  'Too many manifests are being read': 'Zu viele Manifeste werden gerade gelesen',
  'Too many write to this path at once': 'Zu viele schreiben zugleich unter diesen Pfad',
  'At most {} requests of an account wait for news at once':
    'Höchstens {} Anfragen eines Kontos warten zugleich auf Neuigkeiten',
  'At most {} earlier secrets can be valid at once': 'Höchstens {} frühere Geheimnisse können zugleich gelten',
  'An account can have at most {} API keys in use': 'Ein Konto kann höchstens {} API-Schlüssel im Gebrauch haben',
  'An account can have at most {} webhooks': 'Ein Konto kann höchstens {} Webhooks haben',
  'A vault can keep at most {} folders': 'Ein Tresor kann höchstens {} Ordner behalten',
  'A webhook can be tested {} times a minute': 'Ein Webhook kann {}-mal in der Minute getestet werden',
  'The account has too many jobs that are not over': 'Zu viele Aufträge des Kontos sind noch nicht zu Ende',
  'The account has too many links; revoked ones count for a week':
    'Das Konto hat zu viele Links; widerrufene zählen noch eine Woche lang',
  'There are too many files for one archive; ask for a part of them by prefix':
    'Das sind zu viele Dateien für ein Archiv. Nehmen Sie einen Ordner davon',
  'The file is too large': 'Die Datei ist zu groß',
  'The parts are too large': 'Die Teile sind zu groß',
  'The link takes at most {} bytes': 'Der Link nimmt höchstens {} Byte an',
  'The link takes no files of this type': 'Der Link nimmt keine Dateien dieser Art an',
  'One call takes at most {} bytes; request an upload (POST /api/files/upload), PUT the bytes to its uploadUrl, confirm it':
    'In einem Aufruf gehen höchstens {} Byte',
  'The file does not fit into the quota of the account': 'Für die Datei ist im Kontingent des Kontos kein Platz mehr',
  'The export does not fit into the quota of the account':
    'Für den Export ist im Kontingent des Kontos kein Platz mehr',
  'The manifest is being read already': 'Das Manifest wird schon gelesen',
  'The limits of a key can only be narrower than those of the key that it is made with':
    'Die Grenzen eines Schlüssels können nur enger sein als die des Schlüssels, mit dem er angelegt wird',
  'A key is rotated by a login, or with the key that it was made with':
    'Ein Schlüssel wird von jemandem erneuert, der sich anmeldet, oder mit dem Schlüssel, mit dem er angelegt wurde',
  'The API key lacks a verb that this request needs': 'Dem API-Schlüssel fehlt ein Recht, das dieser Aufruf braucht',
  'The password could not be checked': 'Das Passwort ließ sich nicht prüfen',
  'The API key is limited to paths that this is not within': 'Der API-Schlüssel gilt nur für andere Ordner',
  'The API key is limited to vaults, paths or verbs, which this is not within':
    'Der API-Schlüssel gilt nur für andere Tresore, Ordner oder Handlungen',
  'The API key is limited to other verbs': 'Der API-Schlüssel gilt nur für andere Handlungen',
  'The API key is limited in bytes a day, which a link would not be':
    'Für den API-Schlüssel gilt eine Grenze am Tag, für einen Link gälte sie nicht',
  'The API key has a limit of bytes a day': 'Für den API-Schlüssel gilt eine Grenze am Tag',
  'The API key has a limit of bytes a day, so name the files':
    'Für den API-Schlüssel gilt eine Grenze am Tag. Wählen Sie die Dateien einzeln',
  // Of how things are.
  'Another file has this path': 'Unter diesem Pfad liegt schon eine andere Datei',
  'The id is taken, or was once': 'Diese Kennung ist vergeben oder war es einmal',
  'The idempotency key was used for another request': 'Das war schon eine andere Anfrage',
  'A {} is under way; wait for its end, or cancel it':
    'Ein Lauf von {} ist im Gang. Warten Sie, oder brechen Sie ihn ab',
  'The default vault cannot be deleted': 'Der Standardtresor kann nicht gelöscht werden',
  'The vault holds files; delete them first, or use force=true': 'Der Tresor enthält Dateien. Löschen Sie diese zuerst',
  'The vault of an export holds its files alone': 'Der Tresor eines Exports enthält nur dessen Dateien',
  'The vault of the file is in the trash; restore the vault':
    'Der Tresor der Datei ist im Papierkorb. Stellen Sie den Tresor wieder her',
  'Others change the vault all the time; try again':
    'Andere ändern den Tresor fortwährend. Versuchen Sie es noch einmal',
  'The vault has another key': 'Der Tresor hat einen anderen Schlüssel',
  'A public vault has no key': 'Ein öffentlicher Tresor hat keinen Schlüssel',
  'A vault of the job was moved to the trash': 'Ein Tresor des Auftrags kam in den Papierkorb',
  'One of the vaults was thrown away meanwhile': 'Einer der Tresore kam inzwischen in den Papierkorb',
  'Files can only come to a vault of the same visibility':
    'Dateien können nur in einen Tresor kommen, der ebenso öffentlich oder privat ist',
  'Files are put by links into public vaults alone': 'Durch Links kommen Dateien nur in öffentliche Tresore',
  'The file or one of the vaults was moved or thrown away meanwhile':
    'Die Datei oder einer der Tresore wurde inzwischen verschoben oder weggeworfen',
  'The file or its vault was restored or thrown away meanwhile; try again':
    'Die Datei oder ihr Tresor wurde inzwischen wiederhergestellt oder weggeworfen. Versuchen Sie es noch einmal',
  'The file changed meanwhile; try again': 'Die Datei hat sich inzwischen geändert. Versuchen Sie es noch einmal',
  'The file is not in error': 'Die Datei ist nicht fehlerhaft',
  'The file cannot be taken now': 'Die Datei kann gerade nicht angenommen werden',
  'Work on the file may not have ended yet; try again later':
    'Vielleicht wird an der Datei noch gearbeitet. Versuchen Sie es später noch einmal',
  'The bytes are not those that were announced': 'Der Inhalt ist nicht der, der angekündigt wurde',
  'The bytes are not in the hot tier any more, and no copy of them is left':
    'Der Inhalt ist nicht mehr im schnellen Speicher, und es gibt keine Kopie mehr davon',
  'The bytes have not been uploaded yet': 'Der Inhalt ist noch nicht hochgeladen',
  'The uploaded bytes are not those that were announced': 'Hochgeladen wurde nicht der Inhalt, der angekündigt war',
  'The bytes that came are not those of the digest that was sent with them':
    'Der Inhalt passt nicht zur Prüfsumme, die mit ihm kam',
  'An upload in one call cannot have the header {}': 'Ein Upload in einem Aufruf darf die Kopfzeile {} nicht haben',
  'The bytes must not be sent with a Content-Encoding': 'Der Inhalt darf nicht mit Content-Encoding gesendet werden',
  'The bytes of this file are lost': 'Der Inhalt dieser Datei ist verloren',
  'The bytes of a file are lost': 'Der Inhalt einer Datei ist verloren',
  'The bytes of this file are being brought back from an archive':
    'Der Inhalt dieser Datei wird gerade aus einem Archiv zurückgeholt',
  'The upload has not been confirmed yet': 'Der Upload ist noch nicht bestätigt',
  'The upload is being confirmed': 'Der Upload wird gerade bestätigt',
  'The upload was confirmed already': 'Der Upload ist schon bestätigt',
  'The object storage did not take the bytes': 'Der Objektspeicher hat den Inhalt nicht angenommen',
  'The object storage has lost the upload; request a new one':
    'Der Objektspeicher hat den Upload verloren. Laden Sie die Datei noch einmal hoch',
  'The object storage is completing this upload; try again':
    'Der Objektspeicher schließt diesen Upload gerade ab. Versuchen Sie es noch einmal',
  'The object storage is still at work; confirm again': 'Der Objektspeicher arbeitet noch daran',
  'The range lies outside the file': 'Dieser Bereich liegt außerhalb der Datei',
  'The range lies outside the archive': 'Dieser Bereich liegt außerhalb des Archivs',
  'The webhook is switched off': 'Der Webhook ist abgeschaltet',
  'An attempt is under way': 'Ein Versuch ist gerade im Gang',
  'This link asks for a password': 'Dieser Link verlangt ein Passwort',
  'This is not the password': 'Das ist nicht das Passwort',
  'A part of it failed again and again': 'Ein Teil davon ist immer wieder fehlgeschlagen',
  'The bucket is too slow': 'Der Bucket ist zu langsam',
  'The bucket failed': 'Der Bucket antwortet mit Fehlern',
  'The bucket failed: {}': 'Der Bucket antwortet mit Fehlern: {}',
  'The bucket does not have the object that was written to it':
    'Der Bucket hat das Objekt nicht, das in ihn geschrieben wurde',
  'The credentials of the bucket cannot be read any more: the key that sealed them is gone':
    'Die Zugangsdaten des Buckets sind nicht mehr lesbar: Der Schlüssel, der sie versiegelt hat, ist weg',
  'The endpoint did not answer in time': 'Der Endpunkt hat nicht rechtzeitig geantwortet',
  'The endpoint refused the credentials': 'Der Endpunkt hat die Zugangsdaten abgelehnt',
  'The endpoint could not do it now': 'Der Endpunkt konnte das gerade nicht',
  'The endpoint did not take what it was sent': 'Der Endpunkt hat nicht angenommen, was er bekam',
  'There is no such bucket at the endpoint': 'Diesen Bucket gibt es an dem Endpunkt nicht',
  'The endpoint does not know the access key id': 'Der Endpunkt kennt diese Zugriffsschlüssel-ID nicht',
  'The secret access key is not that of the access key id':
    'Der geheime Zugriffsschlüssel gehört nicht zu der Zugriffsschlüssel-ID',
  'The session token has ended': 'Das Sitzungstoken ist abgelaufen',
  'The session token is not valid': 'Das Sitzungstoken gilt nicht',
  'The bucket is in another region, or at another endpoint':
    'Der Bucket ist in einer anderen Region oder an einem anderen Endpunkt',
  'The bucket is in another region': 'Der Bucket ist in einer anderen Region',
  'The bucket is full': 'Der Bucket ist voll',
  'What the endpoint answered is no answer of S3': 'Was der Endpunkt antwortet, ist keine Antwort von S3',
  'The bytes did not arrive as they were sent': 'Der Inhalt kam nicht so an, wie er gesendet wurde',
  'The endpoint answered with a redirect, which is not followed':
    'Der Endpunkt hat mit einer Weiterleitung geantwortet, der nicht gefolgt wird',
  // With what the bucket answered.
  '{} ({})': '{} ({})',
  ...ofFields,
  // Of a delivery to a webhook.
  'The host name could not be resolved': 'Der Name des Hosts ist nicht auflösbar',
  'The host name could not be resolved in time': 'Der Name des Hosts war nicht rechtzeitig auflösbar',
  'Nothing was sent: host names cannot be resolved at the moment':
    'Es wurde nichts gesendet: Namen von Hosts sind gerade nicht auflösbar',
  'The connection could not be made': 'Es kam keine Verbindung zustande',
  'The connection could not be made in time': 'Es kam nicht rechtzeitig eine Verbindung zustande',
  'The connection was closed before the answer was complete':
    'Die Verbindung endete, bevor die Antwort vollständig war',
  'The headers of the answer were too large': 'Die Kopfzeilen der Antwort waren zu groß',
  'The answer was larger than 64 KiB': 'Die Antwort war größer als 64 KiB',
  'The answer was not valid HTTP': 'Die Antwort war kein gültiges HTTP',
  'A secure connection could not be made': 'Es kam keine sichere Verbindung zustande',
  'No complete answer within {} s': 'Keine vollständige Antwort innerhalb von {} s',
  'Answered {}': 'Antwortete {}',
  'Answered {}; redirects are not followed': 'Antwortete {}; Weiterleitungen wird nicht gefolgt',
  'The request failed': 'Die Anfrage ist fehlgeschlagen',
  'The signing secret cannot be read at the moment': 'Das Geheimnis für die Signatur ist gerade nicht lesbar',
  'The receiver answered 410 Gone': 'Der Empfänger hat mit 410 Gone geantwortet',
  'Every delivery failed for more than five days': 'Mehr als fünf Tage lang ist jede Zustellung fehlgeschlagen',
}
