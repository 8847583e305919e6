/** The text of a response; empty if it is longer than `max` characters, because expected responses are shorter. */
export async function readText(response: Response, max: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > max) return ''
  }
  return text
}
