import type { IncomingMessage } from 'node:http'
import type { S3Error } from './errors.ts'
import type { Files } from './files-port.ts'
import type { Answer } from './operations/call.ts'
import type { OperationName } from './routing/operation.ts'

/** What a signature covers in addition to the request: its key is derived from these. */
export interface KeyScope {
  accessKeyId: string
  date: string
  region: string
}

/** An admitted caller. */
export interface Session {
  accountId: string | null
  files: Files
}

/** One request, and what the server does for it. */
export interface Exchange {
  request: IncomingMessage
  /** The request target as the client sent it. */
  target: string
  requestId: string
  /** The client sends its body only after 100 Continue. */
  isWaiting: boolean
  /** Finds the key, and calls `verify` with each signing key that may have made the signature until one does not throw. */
  admit(scope: KeyScope, verify: (signingKey: Buffer) => void): Promise<Session>
  admitUnsigned(): Promise<Session>
  /** Begins the transfer of the body: takes a place if it is `isLarge`, and asks a client that waits. */
  openBody(isLarge: boolean): Promise<AsyncIterable<Buffer>>
  send(answer: Answer): void
  /** Sends the head of a response whose body follows. */
  begin(answer: Answer): { write(text: string): void; end(text: string): void }
  /** Adds headers to the response, also to one that the server passes on. */
  addHeaders(headers: Record<string, string>): void
  hasBegun(): boolean
  /** Records the result. */
  note(operation: OperationName | 'unknown', error: S3Error | null): void
}
