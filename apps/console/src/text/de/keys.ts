import type { Text } from '../en.ts'

export const deKeys: Text['keys'] = {
  lead: 'Mit einem Schlüssel handelt ein Programm für Sie. Geben Sie jedem Programm einen eigenen, mit nicht mehr Rechten als nötig.',
  create: 'Neuer Schlüssel',
  createTitle: 'Neuer API-Schlüssel',
  createdTitle: (name) => `Schlüssel von ${name}`,
  createdText:
    'Kopieren Sie ihn jetzt, und bewahren Sie ihn dort auf, wo nur Sie und Ihr Programm ihn lesen können. Er kann nicht noch einmal angezeigt werden.',
  withRevoked: 'Widerrufene Schlüssel zeigen',
  empty: 'Noch keine Schlüssel',
  emptyText: 'Legen Sie einen an, um die API, die Kommandozeile oder das SDK zu verwenden.',
  nameHint: 'Wo er verwendet wird, damit Sie ihn wiedererkennen.',
  days: 'Endet nach (Tagen)',
  daysHint: 'Bleibt das leer, gilt er, bis Sie ihn widerrufen.',
  scopes: 'Bereiche',
  scopesHint: 'Wählen Sie keinen, um alles zu erlauben.',
  allScopes: 'Alle Bereiche',
  limits: 'Grenzen',
  vaultsHint: 'Wählen Sie keinen, um alle zu erlauben. Der Schlüssel sieht diese, als gäbe es keine anderen.',
  prefixes: 'Ordner',
  prefixesHint: 'Womit die Pfade der Dateien beginnen, einer pro Zeile. Bleibt das leer, sind es alle.',
  verbs: 'Handlungen',
  verbsHint: 'Wählen Sie keine, um alle zu erlauben.',
  verbNames: { read: 'Lesen', upload: 'Hochladen', change: 'Ändern', delete: 'Löschen', share: 'Teilen' },
  bytesPerDay: 'Übertragung pro Tag',
  megabytes: 'Megabyte pro Tag',
  megabytesHint: 'Hochladen und Herunterladen zusammen. Bleibt das leer, gibt es keine Grenze.',
  addresses: 'Adressen',
  addressesHint:
    'IP-Adressen oder Netze, von denen aus er gilt, eines pro Zeile. Bleibt das leer, gilt er von überall.',
  lastUsed: 'Zuletzt verwendet',
  parent: 'Angelegt mit',
  hasEnded: 'Abgelaufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText:
    'Was ihn verwendet, funktioniert sofort nicht mehr, ebenso Schlüssel, die mit ihm angelegt wurden. Das lässt sich nicht rückgängig machen.',
  revoked: (name) => `${name} ist widerrufen`,
  rotateTitle: (name) => `${name} ersetzen`,
  rotateText:
    'Sie bekommen einen neuen Schlüssel mit denselben Rechten. Der alte gilt noch eine Weile, damit Sie umstellen können, und endet dann mit allen Schlüsseln, die mit ihm angelegt wurden.',
  overlap: 'Der alte Schlüssel gilt noch',
  overlaps: { '0': 'Gar nicht', '3600': '1 Stunde', '86400': '1 Tag', '604800': '7 Tage', '2592000': '30 Tage' },
}
