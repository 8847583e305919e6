import type { ServerResponse } from 'node:http'

const PUBLISHER = 'daemon.walrus.space'
const AUTH = 'auth.publisher.walrus.space'

/** Error responses of Walrus 1.56 by their `reason`. */
const refusals = {
  BLOB_NOT_FOUND: [404, 'NOT_FOUND', PUBLISHER],
  OBJECT_ID_RESOLUTION_FAILED: [404, 'NOT_FOUND', PUBLISHER],
  FORBIDDEN_BLOB: [451, 'UNAVAILABLE_FOR_LEGAL_REASONS', PUBLISHER],
  BLOB_TOO_LARGE: [403, 'SIZE_EXCEEDED', PUBLISHER],
  BLOB_UNAVAILABLE: [503, 'UNAVAILABLE', PUBLISHER],
  INVALID_BYTE_RANGE: [416, 'RANGE_NOT_SATISFIABLE', PUBLISHER],
  INSUFFICIENT_CONFIRMATIONS: [504, 'DEADLINE_EXCEEDED', PUBLISHER],
  MALFORMED_REQUEST: [400, 'INVALID_ARGUMENT', PUBLISHER],
  INVALID_BLOB_PERSISTENCE: [400, 'INVALID_ARGUMENT', PUBLISHER],
  INTERNAL: [500, 'INTERNAL', 'global'],
  INVALID_EXPIRATION: [400, 'FAILED_PRECONDITION', AUTH],
  INVALID_EPOCHS: [400, 'FAILED_PRECONDITION', AUTH],
  INVALID_SIZE: [400, 'FAILED_PRECONDITION', AUTH],
  INVALID_SEND_OBJECT_TO: [400, 'FAILED_PRECONDITION', AUTH],
  INCONSISTENT_TOKEN: [400, 'FAILED_PRECONDITION', AUTH],
  INVALID_TOKEN: [400, 'FAILED_PRECONDITION', AUTH],
  EXPIRED_SIGNATURE: [504, 'DEADLINE_EXCEEDED', AUTH],
  INVALID_SIGNATURE: [401, 'UNAUTHENTICATED', AUTH],
  TOKEN_ALREADY_USED: [429, 'RESOURCE_EXHAUSTED', AUTH],
} as const satisfies Record<string, readonly [number, string, string]>

export type Reason = keyof typeof refusals

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly #send: (answer: ServerResponse) => void

  /** A response in Walrus's error format. */
  static of(reason: Reason, message: string): Refusal {
    const [code, status, domain] = refusals[reason]
    const details = [{ '@type': 'ErrorInfo', reason, domain, metadata: {} }]
    return new Refusal(message, (answer) => sendJson(answer, code, { error: { code, status, message, details } }))
  }

  /** A response in plain text, like those of Walrus's web framework for requests that do not reach Walrus. */
  static plain(code: number, message: string): Refusal {
    return new Refusal(message, (answer) => {
      answer.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(message)
    })
  }

  private constructor(message: string, send: (answer: ServerResponse) => void) {
    super(message)
    this.#send = send
  }

  sendTo(answer: ServerResponse): void {
    this.#send(answer)
  }
}

export function sendJson(answer: ServerResponse, code: number, value: unknown): void {
  answer.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
