/** The text of an answer, or nothing of one that is longer than so many characters: then it is none of those that are awaited. */
export async function readText(response: Response, max: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > max) return ''
  }
  return text
}
