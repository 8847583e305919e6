import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange, Session } from '@tideport/s3-door/exchange'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CredentialWatch } from '../identity/credential-watch.ts'
import type { OpenRequest } from '../identity/open-request.ts'
import type { Admission } from '../limits/admission.ts'
import { isWaiting } from '../limits/expectations.ts'
import type { StreamSlot, TakeStreamSlot } from '../limits/stream-slots.ts'
import { asRefusal } from './as-refusal.ts'
import { type AskFilesDeps, createAskFiles } from './ask-files.ts'
import { createFilesClient } from './files-client.ts'

export interface ExchangeDeps extends AskFilesDeps {
  admission: Pick<Admission, 'admitSigned' | 'admitAnyone'>
  watch: CredentialWatch
  takeStreamSlot: TakeStreamSlot
  streamStallSeconds: number
  note: Exchange['note']
}

/** Connects one request of the S3 API to the gateway's limits and to the files service. */
export class S3Exchange implements Exchange, Disposable {
  readonly request: Exchange['request']
  readonly target: string
  readonly requestId: string
  readonly isWaiting: boolean
  readonly #deps: ExchangeDeps
  readonly #asked: FastifyRequest
  readonly #reply: FastifyReply
  #open: OpenRequest | undefined

  constructor(deps: ExchangeDeps, asked: FastifyRequest, reply: FastifyReply) {
    this.#deps = deps
    this.#asked = asked
    this.#reply = reply
    this.request = asked.raw
    this.target = asked.originalUrl
    this.requestId = asked.context.trace?.requestId ?? ''
    this.isWaiting = isWaiting(asked.raw)
  }

  async admit(...[scope, verify]: Parameters<Exchange['admit']>): Promise<Session> {
    await asRefusal(this.#deps.admission.admitSigned(this.#asked, this.#reply, scope, verify))
    return this.#enter()
  }

  async admitUnsigned(): Promise<Session> {
    await asRefusal(this.#deps.admission.admitAnyone(this.#asked, this.#reply))
    return this.#enter()
  }

  #enter(): Session {
    const { principal } = this.#asked
    const open = this.#deps.watch.enter(this.#asked)
    this.#open = open
    const asking = { request: this.#asked, reply: this.#reply, open, takeSlot: () => this.#takeSlot() }
    return {
      accountId: principal?.kind === 'account' ? principal.accountId : null,
      files: createFilesClient(createAskFiles(this.#deps, asking)),
    }
  }

  async openBody(isLarge: boolean): Promise<AsyncIterable<Buffer>> {
    const { raw } = this.#asked
    const slot = isLarge ? await asRefusal(this.#takeSlot()) : null
    if (this.isWaiting) {
      await asRefusal(this.#open?.confirm() ?? Promise.resolve())
      this.#reply.raw.writeContinue()
    }
    return bytesOf(raw, this.#deps.streamStallSeconds * 1000, slot?.signal)
  }

  async #takeSlot(): Promise<StreamSlot> {
    const { raw } = this.#reply
    const slot = await this.#deps.takeStreamSlot(this.#asked, this.#reply)
    if (slot === null || raw.destroyed) {
      slot?.leave()
      throw new Error('The client closed the connection')
    }
    raw.once('close', slot.leave)
    return slot
  }

  send({ status, headers = {}, body }: Parameters<Exchange['send']>[0]): void {
    void this.#reply.code(status).headers(headers).send(body)
  }

  begin({ status, headers = {} }: Parameters<Exchange['begin']>[0]) {
    const { raw } = this.#reply
    raw.writeHead(status, { ...headers, ...(this.#reply.getHeaders() as OutgoingHttpHeaders) })
    this.#reply.hijack()
    return {
      write: (text: string) => void raw.write(text),
      end: (text: string) => void raw.end(text),
    }
  }

  addHeaders(headers: Record<string, string>): void {
    this.#reply.headers(headers)
  }

  note(...[operation, error]: Parameters<Exchange['note']>): void {
    this.#deps.note(operation, error)
    if (error !== null && error.status >= 500) this.#asked.failure = error.cause ?? error
  }

  hasBegun(): boolean {
    return this.#reply.raw.headersSent || this.#reply.raw.destroyed
  }

  [Symbol.dispose](): void {
    this.#open?.[Symbol.dispose]()
  }
}
