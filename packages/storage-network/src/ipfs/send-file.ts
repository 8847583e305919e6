import { randomUUID } from 'node:crypto'
import type { ClientRequest } from 'node:http'
import { answerOf, write } from '../node-http.ts'
import { wholeOf } from './answer.ts'

const boundary = `tideport-${randomUUID()}`
const HEAD = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="blob"\r\ncontent-type: application/octet-stream\r\n\r\n`
const TAIL = `\r\n--${boundary}--\r\n`

export const fileHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` }

/** Sends pieces as the one file of a form. Destroys an incomplete request, which must never look complete. */
export async function sendFile(
  request: ClientRequest,
  pieces: AsyncIterable<Buffer>,
  moved: () => void,
): Promise<Buffer> {
  let isAnswered = false
  const answered = answerOf(request).finally(() => {
    isAnswered = true
  })
  answered.catch(() => undefined)
  try {
    let sent = write(request, Buffer.from(HEAD))
    for await (const piece of pieces) {
      await sent
      // It says no before it has heard all.
      if (isAnswered) return await wholeOf(await answered)
      sent = write(request, piece)
      moved()
    }
    await sent
    request.end(TAIL)
    moved()
    return await wholeOf(await answered)
  } finally {
    if (!request.writableEnded) request.destroy()
  }
}
