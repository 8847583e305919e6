import type { IncomingMessage } from 'node:http'
import { failureOf, RpcError } from './failure.ts'

const BYTES_MAX = 64 * 1024 * 1024

/** A complete response. @throws RpcError for an error of Kubo, Error if the response is cut off or not from Kubo */
export async function wholeOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > BYTES_MAX) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  assertWhole(answer)
  const bytes = Buffer.concat(chunks)
  const { statusCode = 0 } = answer
  if (statusCode === 200) return bytes
  throw new RpcError(statusCode, messageOf(bytes.toString()))
}

/**
 * Call after reading the body: Kubo reports late errors in a trailer. @throws RpcError of status 200, Error if cut off
 */
export function assertWhole(answer: IncomingMessage): void {
  const failure = answer.trailers['x-stream-error']
  if (failure !== undefined) throw new RpcError(200, failure)
  if (!answer.complete) throw new Error('the response was cut off')
}

/** The objects of a response, one per line. @throws NetworkError if the response is not from Kubo */
export function objectsOf(answer: Buffer): Record<string, unknown>[] {
  try {
    return answer
      .toString()
      .split('\n')
      .flatMap((line) => (line.trim() === '' ? [] : JSON.parse(line)))
  } catch (error) {
    throw failureOf(error)
  }
}

/** The response is not from Kubo, or it is incomplete. */
export function unlikeKubo(): Error {
  return failureOf(new Error('the response does not come from Kubo'))
}

/** Empty: Kubo never sends an empty response, but a proxy in front of it can. */
function messageOf(text: string): string {
  try {
    const { Message } = JSON.parse(text)
    if (typeof Message === 'string') return Message
  } catch {}
  return ''
}
