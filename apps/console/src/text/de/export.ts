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
  files: 'Alle Dateien',
  filesText:
    'Der Dienst packt alle Ihre Dateien mit einem Verzeichnis als Dateien eines privaten Tresors, der dafür angelegt wird. Das geht von selbst weiter; laden Sie sie aus diesem Tresor herunter.',
  start: 'Export beginnen',
  startText: 'Was gepackt ist, zählt zu Ihrem Kontingent und wird wie alle Dateien berechnet, bis es gelöscht ist.',
  life: 'Wegwerfen',
  lives: { week: 'Nach 7 Tagen', month: 'Nach 30 Tagen', ever: 'Wenn ich es lösche' },
  started: 'Der Export hat begonnen',
  none: 'Keine Exporte',
  noneText: 'Beginnen Sie einen, um alles mitzunehmen.',
  soFar: (size) => `${size} bisher`,
}
