import { S3Client } from '@aws-sdk/client-s3'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { HotTierConfig } from './hot-tier-config.ts'
import { callSpan, inTime, isNamed, isRefusalStatus, storeLimits, unavailable } from './store-calls.ts'
import { PART_TIMEOUT_MS } from './store-object.ts'

/**
 * The ways to send what is rare to S3 by the SDK: listings, and uploads of our own. Both throw
 * `AppError('unavailable')` when the store cannot be reached or fails; what it refuses (4xx) and aborts pass as they
 * are.
 */
export interface StoreClient extends Disposable {
  config: S3Client['config']
  /** The whole answer, after a second try if need be, is there within 8 s. */
  ask: S3Client['send']
  /** For bytes in either direction: the same, but an answer may take as long as its own time limit. */
  stream: S3Client['send']
}

/** Nothing is contacted yet. A connection on which nothing moves for `silenceMs` is given up, wherever it stands still. */
export function createStoreClient(
  config: HotTierConfig,
  metrics?: Metrics,
  silenceMs: number = PART_TIMEOUT_MS,
): StoreClient {
  const twice = { maxAttempts: 2, requestTimeout: storeLimits.answerTimeoutMs, socketTimeout: silenceMs }
  const control = createClient(config, { ...twice, connections: storeLimits.connections })
  const bytes = createClient(config, { ...twice, connections: config.hotStreamsMax ?? storeLimits.connections })
  const send = sender(control, metrics)
  return {
    config: control.config,
    stream: sender(bytes, metrics),
    ask: ((command: never, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
      inTime((limited) => send(command, { abortSignal: limited }), abortSignal)) as never,
    [Symbol.dispose]() {
      for (const client of [control, bytes]) client.destroy()
    },
  }
}

interface ClientLimits {
  maxAttempts: number
  requestTimeout: number
  socketTimeout: number
  connections: number
}

function createClient(config: HotTierConfig, { connections, ...limits }: ClientLimits): S3Client {
  const { awsAccessKeyId, awsSecretAccessKey } = config
  return new S3Client({
    region: config.s3Region,
    forcePathStyle: config.s3ForcePathStyle,
    maxAttempts: limits.maxAttempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: storeLimits.connectTimeoutMs,
      requestTimeout: limits.requestTimeout,
      socketTimeout: limits.socketTimeout,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: connections, keepAlive: true },
      httpsAgent: { maxSockets: connections, keepAlive: true },
    },
    ...(config.s3Endpoint && { endpoint: config.s3Endpoint }),
    ...(awsAccessKeyId &&
      awsSecretAccessKey && { credentials: { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey } }),
  })
}

function sender(client: S3Client, metrics: Metrics | undefined): S3Client['send'] {
  return (async (command: object, options?: never) => {
    const startedAt = performance.now()
    const operation = command.constructor.name.replace(/Command$/, '')
    const observe = ({ $metadata }: Answered) => {
      const labels = { peer: 'object_storage', operation, outcome: $metadata?.httpStatusCode ?? 'failed' } as const
      metrics?.observeCall(labels, (performance.now() - startedAt) / 1000)
    }
    try {
      const answer = await inSpan(callSpan(operation), () => client.send(command as never, options))
      observe(answer)
      return answer
    } catch (error) {
      observe(error as Answered)
      throw isRefusal(error) || isNamed(error, 'AbortError') ? error : unavailable(error)
    }
  }) as never
}

type Answered = { $metadata?: { httpStatusCode?: number }; Code?: unknown }

/**
 * The store heard the command and says no, by a code of its own; too many of them (429) is no such answer, nor is a
 * bucket that is away or does not let us in.
 */
function isRefusal(error: unknown): boolean {
  const { Code, $metadata } = error as Answered
  if (Code === undefined || isNamed(error, 'NoSuchBucket')) return false
  const status = $metadata?.httpStatusCode
  return status !== undefined && isRefusalStatus(status)
}
