import type { Text } from '../en.ts'

export const deExport: Text['export'] = {
  title: 'Export',
  lead: 'Ihre Dateien gehören Ihnen: Nehmen Sie sie mit, oder bewahren Sie auf, womit Sie sie ohne diesen Dienst zurückbekommen.',
  manifest: 'Verzeichnis',
  manifestText:
    'Eine Datei, in der Ihre Tresore und Dateien stehen, und wo jede Kopie liegt. Mit ihr und den Speichernetzen bekommen Sie alles ohne uns zurück; das Programm dafür steht in der Dokumentation unter „Leaving“.',
  manifestGet: 'Verzeichnis herunterladen',
  manifestReading: 'Das Verzeichnis wird gelesen',
  manifestSaved: 'Das Verzeichnis ist vollständig und liegt bei Ihren Downloads',
  manifestCut: 'Das Verzeichnis brach vor seinem Ende ab. Bitte versuchen Sie es noch einmal.',
  soFar: (size) => `${size} bisher`,
}
