/** What lists and forms of all pages say. */
export const enLists = {
  shown: (items: number) => `${items.toLocaleString('en')} shown, and there are more`,
  all: (items: number) => `That is all: ${items.toLocaleString('en')}`,
  copyByHand: 'It is marked: copy it with Ctrl C or ⌘C.',
  notCopied: 'It has not been copied. Close once more to go on without it.',
}
