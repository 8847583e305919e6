import type { Text } from '../en.ts'

export const deJobs: Text['jobs'] = {
  lead: 'Vorgänge mit vielen Dateien. Aufträge laufen weiter, wenn Sie dieses Fenster schließen.',
  empty: 'Keine Aufträge',
  emptyText: 'Wenn Sie einen Ordner verschieben, kopieren oder löschen, startet ein Auftrag, der hier erscheint.',
  kinds: {
    move: 'Verschieben',
    copy: 'Kopieren',
    trash: 'In den Papierkorb',
    restore: 'Wiederherstellen',
    delete: 'Endgültig löschen',
    publish: 'Veröffentlichen',
    export: 'Export',
  },
  states: {
    queued: 'In Warteschlange',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Fehlgeschlagen',
    cancelled: 'Gestoppt',
  },
  toVault: 'Zieltresor',
  to: 'Ziel',
  done: 'Verarbeitete Dateien',
  failed: 'Nicht geänderte Dateien',
  failures: 'Fehler',
  moreFailures: (more) => `und ${more} weitere`,
  cancelTitle: (name) => `Diesen Auftrag stoppen: ${name}?`,
  cancelText: 'Bisherige Änderungen bleiben bestehen. Ein gestoppter Auftrag kann nicht fortgesetzt werden.',
  cancelled: 'Auftrag gestoppt',
  wasOver: 'Der Auftrag war bereits beendet',
}
