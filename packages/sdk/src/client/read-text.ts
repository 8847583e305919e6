import { ProtocolError } from '../errors/transfer-errors.ts'

/**
 * Above every answer of this API: a thousand signed URLs are 2 MiB, a page of files with all the labels that they may have
 * 4 MiB. What parses this many bytes, whatever they say, takes half a GiB at most.
 */
const TEXT_MAX_BYTES = 8 * 1024 ** 2

/** An answer's text. Rejects with a `ProtocolError` for one that does not end. */
export async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > TEXT_MAX_BYTES) {
      await reader.cancel().catch(() => {})
      throw new ProtocolError('The answer is longer than any of this API')
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
