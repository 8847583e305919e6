/**
 * The lines of a text as it comes, without the last line end. Not by `readline`, for which U+2028 in a name ends a line.
 * `tooLong` makes the error for a line of more than `max` characters.
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
