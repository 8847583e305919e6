import type { Text } from '../en.ts'

export const deJobs: Text['jobs'] = {
  lead: 'Was für viele Dateien auf einmal verlangt wurde und von selbst weitergeht, auch wenn Sie dieses Fenster schließen.',
  empty: 'Keine Aufträge',
  emptyText: 'Das Verschieben, Kopieren oder Löschen eines Ordners ist ein Auftrag und steht dann hier.',
  kinds: {
    move: 'Verschieben',
    copy: 'Kopieren',
    trash: 'In den Papierkorb',
    restore: 'Aus dem Papierkorb holen',
    delete: 'Endgültig löschen',
    publish: 'Veröffentlichen',
    export: 'Export',
  },
  states: {
    queued: 'Wartet',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Aufgegeben',
    cancelled: 'Angehalten',
  },
  toVault: 'In den Tresor',
  to: 'Nach',
  done: 'Erledigte Dateien',
  failed: 'Unveränderte Dateien',
  failures: 'Was nicht ging',
  moreFailures: (more) => `und ${more} weitere`,
  cancelTitle: (name) => `Diesen Auftrag anhalten: ${name}?`,
  cancelText: 'Er ändert nichts mehr. Was er getan hat, bleibt getan, und er kann später nicht weitergehen.',
  cancelled: 'Der Auftrag ist angehalten',
  wasOver: 'Der Auftrag war vorher schon zu Ende',
}
