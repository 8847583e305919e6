import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'
import type { Files, Place } from '../files-port.ts'
import type { Target } from '../routing/target.ts'

/** The decoded body of a request. */
export interface RequestBody {
  /** Undefined if the client does not state the length. */
  sizeBytes: number | undefined
  /** SHA-256 of the signature in hex, of a body that is signed in one piece. */
  contentSha256: string | undefined
  /** Begins the transfer. The bytes throw for a wrong signature of a part. */
  open: () => Promise<AsyncIterable<Buffer>>
  /** Values after the last byte. */
  trailer: () => Record<string, string>
}

/** An admitted request. */
export interface Call {
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>
  target: Target
  /** Of operations on objects; `key` is empty for a bucket. */
  place: Place
  files: Files
  /** Null: the request is unsigned. */
  accountId: string | null
  region: string
  body: RequestBody
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** Null: the response has been passed on. */
export type Operation = (call: Call) => Promise<Answer | null>

export function xml(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml', ...headers }, body }
}

export const noContent: Answer = { status: 204 }

export function invalidArgument(name: string, value: string, message?: string): S3Error {
  return new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value })
}

/** Reads a document that the client sent. Throws if it is too long or not what the client signed. */
export async function readBody({ body }: Call, maxBytes: number): Promise<Buffer> {
  if ((body.sizeBytes ?? 0) > maxBytes) throw tooLong()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await body.open()) {
    size += chunk.length
    if (size > maxBytes) throw tooLong()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const { contentSha256 } = body
  if (contentSha256 !== undefined && hash('sha256', bytes) !== contentSha256) {
    throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
      ClientComputedContentSHA256: contentSha256,
      S3ComputedContentSHA256: hash('sha256', bytes),
    })
  }
  return bytes
}

const tooLong = () => new S3Error('MaxMessageLengthExceeded')
