/**
 * Lines without line breaks. `readline` would also split at U+2028. `tooLong` creates the error for more than `max`
 * characters.
 */
export async function* linesIn(
  chunks: AsyncIterable<string>,
  max: number,
  tooLong: () => Error,
): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const [first, ...lines] = chunk.split('\n')
    rest += first
    for (const line of lines) {
      yield rest
      rest = line
    }
    if (rest.length > max) throw tooLong()
  }
  if (rest !== '') yield rest
}
