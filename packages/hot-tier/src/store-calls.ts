import type { Answer } from '@tideport/s3-client/response'
import { S3Error } from '@tideport/s3-client/response'
import {
  createS3Client,
  type OpenAnswer,
  type S3Client,
  type S3ClientOptions,
  type S3Request,
} from '@tideport/s3-client/s3-client'
import type { Credentials } from '@tideport/s3-client/signature'
import { AppError } from '@tideport/service-kit/process/app-error'
import { openDeadline } from '@tideport/service-kit/process/deadline'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan, type SpanOptions } from '@tideport/service-kit/telemetry/span'

export const storeLimits = {
  connections: 256,
  connectTimeoutMs: 2_000,
  /** For one attempt, until the response begins. */
  answerTimeoutMs: 3_500,
  /** Longest pause within a response. */
  silenceTimeoutMs: 30_000,
  /** Together with the wait for Postgres, within the promised 10 s (docs/reference/http/conventions.md). */
  wholeAnswerTimeoutMs: 8_000,
  /** Includes the transfer of the bytes. */
  putTimeoutMs: 20_000,
  /** For a part, or for a completion, which may take minutes. */
  partTimeoutMs: 300_000,
  /** From the last byte of a streamed part to the response. */
  pouredTimeoutMs: 60_000,
}

/**
 * Calls to S3, each kind with its own connections, so bytes and completions never delay other requests. Throws
 * `AppError('unavailable')` for failures and refused access. Refusals (4xx, `S3Error`) and aborts pass unchanged.
 */
export interface StoreCalls extends Disposable {
  /** Reads the response within 8 s, with a second attempt. */
  ask<T = Answer>(operation: string, request: S3Request, options?: AskOptions<T>): Promise<T>
  /** Sends bytes within 20 s. */
  put(operation: string, request: S3Request): Promise<Answer>
  /** Sends parts, or completes an upload, within 5 minutes each. */
  send<T = Answer>(operation: string, request: S3Request, options?: AskOptions<T>): Promise<T>
  /** The response's bytes may take as long as their reader. */
  open(operation: string, request: S3Request, signal: AbortSignal): Promise<OpenAnswer>
  /** Sends a body while it is read. One attempt, limited only by the caller's signal. */
  pour<T>(operation: string, request: S3Request, options: Required<AskOptions<T>>): Promise<T>
  /** One attempt, limited only by the caller's signal. */
  askOnce<T>(operation: string, request: S3Request, options: Required<AskOptions<T>>): Promise<T>
}

export interface AskOptions<T> {
  /** Throws `malformed` for an unreadable response, which counts as a failure of the store. */
  read?: (answer: Answer) => T
  signal?: AbortSignal | undefined
}

/** Does not contact the store yet. */
export function createStoreCalls(
  config: HotTierConfig,
  credentials: () => Promise<Credentials>,
  metrics?: Metrics,
  limits = storeLimits,
): StoreCalls {
  const { s3Endpoint: endpoint, s3Region: region, s3Bucket: bucket, s3ForcePathStyle: forcePathStyle } = config
  const { connections, connectTimeoutMs, answerTimeoutMs, silenceTimeoutMs } = limits
  const where = { endpoint, region, bucket, forcePathStyle, credentials, connectTimeoutMs, silenceTimeoutMs }
  const open = (more: Pick<S3ClientOptions, 'connections' | 'attempts' | 'answerTimeoutMs'>) =>
    createS3Client({ ...where, ...more })
  const streams = config.hotStreamsMax ?? connections
  const control = open({ connections, attempts: 2, answerTimeoutMs })
  const bytes = open({ connections: streams, attempts: 2, answerTimeoutMs })
  const once = open({ connections, attempts: 1, answerTimeoutMs: 0 })
  const puts = open({ connections, attempts: 2, answerTimeoutMs: limits.putTimeoutMs })
  const pours = open({ connections: streams, attempts: 1, answerTimeoutMs: 0 })
  const sends = open({ connections: streams, attempts: 2, answerTimeoutMs: limits.partTimeoutMs })

  async function call<A extends { status: number }, T>(
    operation: string,
    send: () => Promise<A>,
    read: (answer: A) => T,
  ): Promise<T> {
    const startedAt = performance.now()
    const observe = (outcome: number | 'failed') => {
      const labels = { peer: 'object_storage', operation, outcome } as const
      metrics?.observeCall(labels, (performance.now() - startedAt) / 1000)
    }
    try {
      const { status, result } = await inSpan(callSpan(operation), async () => {
        const answer = await send()
        return { status: answer.status, result: read(answer) }
      })
      observe(status)
      return result
    } catch (error) {
      observe(error instanceof S3Error ? error.status : 'failed')
      throw isRefusal(error) || isNamed(error, 'AbortError') ? error : unavailable(error)
    }
  }

  const within = (client: S3Client, timeoutMs: number) =>
    async function ask<T = Answer>(operation: string, request: S3Request, options: AskOptions<T> = {}): Promise<T> {
      const { read = whole<T>, signal } = options
      return await inTime((limited) => call(operation, () => client.ask(request, limited), read), signal, timeoutMs)
    }

  return {
    ask: within(control, limits.wholeAnswerTimeoutMs),
    put: within(puts, limits.putTimeoutMs),
    send: within(sends, limits.partTimeoutMs),
    open: (operation, request, signal) =>
      call(
        operation,
        () => bytes.open(request, signal),
        (answer) => answer,
      ),
    pour: (operation, request, { read, signal }) => call(operation, () => pours.ask(request, signal), read),
    askOnce: (operation, request, { read, signal }) => call(operation, () => once.ask(request, signal), read),
    [Symbol.dispose]() {
      for (const client of [control, bytes, once, puts, pours, sends]) client[Symbol.dispose]()
    },
  }
}

/** Throws `AppError('unavailable')` after the time limit. */
export async function inTime<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  timeoutMs: number = storeLimits.wholeAnswerTimeoutMs,
): Promise<T> {
  using deadline = openDeadline(timeoutMs, signal)
  try {
    return await ask(deadline.signal)
  } catch (error) {
    throw deadline.isOver() && !signal?.aborted ? unavailable(error) : error
  }
}

const whole = <T>(answer: Answer) => answer as T

/** Without keys. */
function callSpan(operation: string): SpanOptions {
  const attributes = { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': operation }
  return { name: `S3.${operation}`, kind: 'client', attributes }
}

export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}

export function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The object storage is temporarily unavailable', { cause, retryAfterSeconds: 5 })
}

/** A refusal by the store itself. 429, 401, 403, a missing bucket, and responses of a proxy are outages. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof S3Error) || error.name === 'NoSuchBucket' || error.isAnonymous) return false
  return error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status)
}

export interface HotTierConfig {
  s3Endpoint?: string | undefined
  s3PublicEndpoint?: string | undefined
  s3Region: string
  s3Bucket: string
  s3ForcePathStyle: boolean
  /** Connections for bytes; 256 by default. */
  hotStreamsMax?: number
  awsAccessKeyId?: string | undefined
  awsSecretAccessKey?: string | undefined
}

/**
 * The configured credentials, or those that the SDK finds (profile, web identity, instance role) and renews. The SDK is
 * loaded on demand.
 */
export function findCredentials({
  awsAccessKeyId: accessKeyId,
  awsSecretAccessKey: secretAccessKey,
  s3Region: region,
}: HotTierConfig): () => Promise<Credentials> {
  if (accessKeyId && secretAccessKey) return async () => ({ accessKeyId, secretAccessKey })
  let provider: (() => Promise<Credentials>) | undefined
  return async () => {
    if (!provider) {
      const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
      provider ??= defaultProvider({ clientConfig: { region } })
    }
    return await provider()
  }
}
