import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import {
  type ConsumerDefinition,
  consumers,
  type StreamDefinition,
  streams,
} from '@tideport/contracts/internal/streams'

const NOT_FOUND = [10059, 10014]
const NAME_IN_USE = 10058
/** The limits of all streams together exceed the server's `max_file_store`, by default three quarters of its disk. */
const NO_ROOM = 10047

/** Limits that an operator set. Unset values come from the contracts; 0 means no limit. */
export interface StreamLimits {
  eventsMaxBytes?: number | undefined
  eventsMaxAgeSeconds?: number | undefined
  jobsMaxBytes?: number | undefined
  jobsMaxAgeSeconds?: number | undefined
  streamReplicas?: number | undefined
  jobsInFlightMax?: number | undefined
}

interface Limits {
  maxBytes: number | undefined
  maxAgeSeconds: number | undefined
  replicas: number | undefined
}

/**
 * Idempotent. Restores only the options that correctness needs. Raises limits to `limits` and never lowers them. Throws
 * if the server drops an option.
 */
export async function provisionStreams(
  connection: NatsConnection,
  limits: StreamLimits & { consumers?: readonly ConsumerDefinition[] } = {},
): Promise<void> {
  const manager = await jetstreamManager(connection)
  const { jobsMaxBytes, jobsMaxAgeSeconds, eventsMaxBytes, eventsMaxAgeSeconds, streamReplicas: replicas } = limits
  await provisionStream(manager, streams.jobs, { maxBytes: jobsMaxBytes, maxAgeSeconds: jobsMaxAgeSeconds, replicas })
  await provisionStream(manager, streams.events, {
    maxBytes: eventsMaxBytes,
    maxAgeSeconds: eventsMaxAgeSeconds,
    replicas,
  })
  for (const consumer of [...Object.values(consumers), ...(limits.consumers ?? [])]) {
    const inFlightMax = consumer.stream === streams.jobs.name ? limits.jobsInFlightMax : undefined
    await provisionConsumer(manager, consumer, inFlightMax)
  }
}

async function provisionStream(manager: JetStreamManager, definition: StreamDefinition, limits: Limits): Promise<void> {
  const existing =
    (await found(manager.streams.info(definition.name))) ?? (await addStream(manager, definition, limits))
  const wanted = { ...enforcedOf(definition), ...grownLimits(definition, existing.config, limits) }
  if (differences(wanted, existing.config).length === 0) return
  const updating = manager.streams.update(definition.name, { ...existing.config, ...wanted })
  const updated = await updating.catch(refused(definition.name, wanted.max_bytes))
  assertKept(`stream ${definition.name}`, wanted, updated.config)
}

async function addStream(manager: JetStreamManager, definition: StreamDefinition, limits: Limits) {
  const { maxBytes = definition.maxBytes, maxAgeSeconds = definition.maxAgeSeconds ?? 0, replicas = 1 } = limits
  const max_age = nanos(maxAgeSeconds * 1000)
  const num_replicas = replicas
  const sizes = {
    num_replicas,
    max_bytes: maxBytes || -1,
    max_age,
    duplicate_window: duplicateWindow(definition, max_age),
  }
  const adding = manager.streams.add({ ...enforcedOf(definition), ...sizes })
  // Another process created the stream first, with other options.
  return await adding.catch((error) => {
    if ((error as { code?: number }).code !== NAME_IN_USE) return refused(definition.name, sizes.max_bytes)(error)
    return manager.streams.info(definition.name)
  })
}

/** Adds the stream and its size to the error about missing space, because the server names neither. */
const refused =
  (name: string, maxBytes: number) =>
  (cause: unknown): never => {
    if ((cause as { code?: number }).code !== NO_ROOM) throw cause
    const cure = `enlarge its storage, or lower ${name}_MAX_BYTES`
    throw new Error(`NATS has no space for the stream ${name} of ${maxBytes} bytes: ${cure}`, { cause })
  }

async function provisionConsumer(
  manager: JetStreamManager,
  definition: ConsumerDefinition,
  inFlightMax: number | undefined,
): Promise<void> {
  const { stream, durable } = definition
  const enforced = enforcedOfConsumer(definition)
  const added = { ...enforced, ack_wait: ackWait(definition), max_ack_pending: inFlightMax ?? definition.maxAckPending }
  const existing =
    (await found(manager.consumers.info(stream, durable))) ?? (await manager.consumers.add(stream, added))
  const { ack_wait = 0, max_ack_pending = -1 } = existing.config
  const wanted = {
    ...enforced,
    ack_wait: Math.max(ackWait(definition), ack_wait),
    max_ack_pending: grown(max_ack_pending, inFlightMax, -1),
  }
  if (differences(wanted, existing.config).length === 0) return
  const updated = await manager.consumers.update(stream, durable, wanted)
  assertKept(`consumer ${durable}`, wanted, updated.config)
}

async function found<T>(info: Promise<T>): Promise<T | null> {
  try {
    return await info
  } catch (error) {
    if (error instanceof JetStreamApiError && NOT_FOUND.includes(error.code)) return null
    throw error
  }
}

function enforcedOf(definition: StreamDefinition): Partial<StreamConfig> & { name: string } {
  return {
    name: definition.name,
    subjects: [...definition.subjects],
    storage: StorageType.File,
    retention: definition.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    discard: definition.discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old,
    discard_new_per_subject: definition.discardNewPerSubject,
    max_msgs_per_subject: definition.maxMsgsPerSubject ?? -1,
  }
}

function grownLimits(definition: StreamDefinition, existing: StreamConfig, limits: Limits) {
  const { maxBytes, maxAgeSeconds, replicas = 1 } = limits
  const max_bytes = grown(existing.max_bytes, maxBytes, -1)
  const max_age = grown(existing.max_age, maxAgeSeconds === undefined ? undefined : nanos(maxAgeSeconds * 1000), 0)
  const duplicate_window = Math.max(duplicateWindow(definition, max_age), existing.duplicate_window)
  return { max_bytes, max_age, duplicate_window, num_replicas: Math.max(existing.num_replicas, replicas) }
}

/** The larger limit. For the server, any value up to 0 means no limit; `unlimited` is how it writes that, 0 or -1. */
function grown(existing: number, wanted: number | undefined, unlimited: number): number {
  if (existing <= 0 || wanted === undefined) return existing
  return wanted === 0 ? unlimited : Math.max(existing, wanted)
}

/** The server rejects a window that is longer than the maximum age. */
function duplicateWindow({ duplicateWindowSeconds }: StreamDefinition, maxAge: number): number {
  const window = nanos(duplicateWindowSeconds * 1000)
  return maxAge > 0 ? Math.min(window, maxAge) : window
}

function enforcedOfConsumer(definition: ConsumerDefinition) {
  return {
    durable_name: definition.durable,
    filter_subject: definition.filterSubject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    max_deliver: -1,
  } satisfies Partial<ConsumerConfig>
}

function ackWait({ ackWaitSeconds }: ConsumerDefinition): number {
  return nanos(ackWaitSeconds * 1000)
}

function assertKept(what: string, wanted: object, got: object): void {
  const lost = differences(wanted, got)
  if (lost.length > 0) throw new Error(`The broker did not apply ${lost.join(', ')} of ${what}`)
}

/** Names of the wanted options that `got` lacks. The server omits options that are false or zero. */
function differences(wanted: object, got: object): string[] {
  const actual = got as Record<string, unknown>
  return Object.entries(wanted)
    .filter(([name, value]) => JSON.stringify(actual[name] ?? zeroOf(value)) !== JSON.stringify(value))
    .map(([name]) => name)
}

function zeroOf(value: unknown): unknown {
  return typeof value === 'number' ? 0 : typeof value === 'boolean' ? false : undefined
}
