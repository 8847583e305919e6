import { ProtocolError } from '../errors/transfer-errors.ts'

/**
 * Larger than every response of the API: a page of files with all labels is 4 MiB. Parsing this many bytes takes 512
 * MiB.
 */
const TEXT_MAX_BYTES = 8 * 1024 ** 2

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
      throw new ProtocolError('The response is larger than any response of the API')
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
