import type { Text } from '../en.ts'

export const deExport: Text['export'] = {
  lead: 'Ihre Dateien gehören Ihnen: Nehmen Sie sie mit, oder bewahren Sie auf, womit Sie sie ohne diesen Dienst zurückbekommen.',
  manifest: 'Verzeichnis',
  manifestText:
    'Eine Datei, in der Ihre Tresore und Dateien stehen, und wo jede Kopie liegt. Mit ihr und den Speichernetzen bekommen Sie alles ohne uns zurück; das Programm dafür steht in der Dokumentation unter „Leaving“.',
  manifestGet: 'Verzeichnis herunterladen',
  manifestReading: 'Das Verzeichnis wird gelesen',
  manifestSaved: 'Das Verzeichnis ist vollständig und liegt bei Ihren Downloads',
  files: 'Alle Dateien',
  filesText:
    'Der Dienst packt alle Ihre Dateien mit einem Verzeichnis: als Dateien eines privaten Tresors, der dafür angelegt wird und aus dem Sie sie herunterladen, oder in einen Bucket von Ihnen. Das geht von selbst weiter.',
  start: 'Export beginnen',
  startText: 'Was gepackt ist, zählt zu Ihrem Kontingent und wird wie alle Dateien berechnet, bis es gelöscht ist.',
  where: 'Wohin',
  toVault: 'Ein neuer Tresor',
  toBucket: 'Ein Bucket von Ihnen',
  toBucketText:
    'Bei irgendeinem S3-Dienst. Er wird zuerst ausprobiert; die Zugangsdaten liegen verschlüsselt, bis der Export vorbei ist.',
  endpoint: 'Endpunkt',
  endpointHint: 'Die https-Adresse des S3-Dienstes; ohne sie AWS',
  region: 'Region',
  bucket: 'Bucket',
  prefix: 'Präfix',
  prefixHint: 'Darunter wird ein eigener Ordner angelegt',
  accessKeyId: 'Zugriffsschlüssel-ID',
  secretAccessKey: 'Geheimer Zugriffsschlüssel',
  secretHint: 'Am besten von einem Nutzer, der nichts darf, als unterhalb des Präfixes zu schreiben',
  life: 'Wegwerfen',
  lives: { week: 'Nach 7 Tagen', month: 'Nach 30 Tagen', ever: 'Wenn ich es lösche' },
  started: 'Der Export hat begonnen',
  none: 'Keine Exporte',
  noneText: 'Beginnen Sie einen, um alles mitzunehmen.',
  soFar: (size) => `${size} bisher`,
}
