import type { Text } from '../en.ts'

export const deExport: Text['export'] = {
  lead: 'Nehmen Sie Ihre Dateien zu einem anderen Dienst mit, oder sichern Sie, was Sie zur Wiederherstellung ohne diesen Dienst brauchen.',
  manifest: 'Manifest',
  manifestText:
    'Eine Datei, die Ihre Tresore, Ihre Dateien und den Ort jeder Kopie auflistet. Das Programm, das in der Dokumentation unter „Export and leave“ beschrieben ist, stellt damit Ihre Dateien direkt aus den Speichernetzwerken wieder her.',
  manifestGet: 'Manifest herunterladen',
  manifestReading: 'Manifest wird heruntergeladen …',
  manifestSaved: 'Manifest heruntergeladen.',
  files: 'Alle Dateien',
  filesText:
    'Der Dienst packt alle Ihre Dateien zusammen mit einem Manifest. Die gepackten Dateien kommen in einen neuen privaten Tresor, aus dem Sie sie herunterladen, oder in Ihren eigenen Bucket. Ein Export läuft im Hintergrund weiter.',
  start: 'Export starten',
  startText:
    'Gepackte Dateien zählen zu Ihrem Kontingent und werden wie alle Dateien berechnet, bis sie gelöscht werden.',
  where: 'Ziel',
  toVault: 'Neuer Tresor',
  toBucket: 'Eigener Bucket',
  toBucketText:
    'Funktioniert mit jedem S3-Dienst. Der Bucket wird zuerst geprüft. Die Zugangsdaten werden verschlüsselt gespeichert, bis der Export beendet ist.',
  endpoint: 'Endpunkt',
  endpointHint: 'HTTPS-Adresse des S3-Dienstes. Leer lassen für AWS.',
  region: 'Region',
  bucket: 'Bucket',
  prefix: 'Präfix',
  prefixHint: 'Der Export legt unter diesem Präfix einen eigenen Ordner an.',
  accessKeyId: 'Zugriffsschlüssel-ID',
  secretAccessKey: 'Geheimer Zugriffsschlüssel',
  secretHint: 'Verwenden Sie einen Schlüssel, der nur unter diesem Präfix schreiben darf.',
  life: 'Export löschen',
  lives: { week: 'Nach 7 Tagen', month: 'Nach 30 Tagen', ever: 'Nie automatisch' },
  started: 'Export gestartet',
  none: 'Keine Exporte',
  noneText: 'Starten Sie einen Export, um alle Ihre Dateien mitzunehmen.',
  soFar: (size) => `bisher ${size}`,
}
