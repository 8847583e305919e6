const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Five groups of four letters, none of which look alike: a hundred bits. */
export function suggestPassphrase(): string {
  const drawn = crypto.getRandomValues(new Uint8Array(20))
  const text = Array.from(drawn, (byte) => letters[byte % letters.length]).join('')
  return (text.match(/.{4}/g) ?? []).join('-')
}
