import type { Text } from '../en.ts'

export const deLists: Text['lists'] = {
  shown: (items) => `${items.toLocaleString('de')} angezeigt, es gibt noch mehr`,
  all: (items) => `Das sind alle: ${items.toLocaleString('de')}`,
  copyByHand: 'Der Text ist markiert: Kopieren Sie ihn mit Strg C oder ⌘C.',
  notCopied: 'Noch nicht kopiert. Schließen Sie noch einmal, um ohne Kopie fortzufahren.',
}
