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
import { type ConsumerDefinition, consumers, type StreamDefinition, streams } from '@tideport/contracts/streams'

const STREAM_NOT_FOUND = 10059

/**
 * Makes the streams and consumers of the contracts exist as they are written there; safe to call at any time, by any
 * number of processes. Replicas and other options an operator chose are kept. Throws when the server dropped an option
 * (it does so silently) or cannot change one.
 */
export async function provisionStreams(connection: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(connection)
  for (const stream of Object.values(streams)) await provisionStream(manager, stream)
  for (const consumer of Object.values(consumers)) await provisionConsumer(manager, consumer)
}

async function provisionStream(manager: JetStreamManager, definition: StreamDefinition): Promise<void> {
  const wanted = toStreamConfig(definition)
  const existing = await manager.streams.info(definition.name).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return null
    throw error
  })
  if (existing === null) {
    assertKept(`stream ${definition.name}`, wanted, (await manager.streams.add(wanted)).config)
  } else if (differences(wanted, existing.config).length > 0) {
    const updated = await manager.streams.update(definition.name, { ...existing.config, ...wanted })
    assertKept(`stream ${definition.name}`, wanted, updated.config)
  }
}

async function provisionConsumer(manager: JetStreamManager, definition: ConsumerDefinition): Promise<void> {
  const wanted = toConsumerConfig(definition)
  const made = await manager.consumers.add(definition.stream, wanted)
  assertKept(`consumer ${definition.durable}`, wanted, made.config)
}

function toStreamConfig(definition: StreamDefinition): Partial<StreamConfig> & { name: string } {
  return {
    name: definition.name,
    subjects: [...definition.subjects],
    storage: StorageType.File,
    retention: definition.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    discard: definition.discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old,
    discard_new_per_subject: definition.discardNewPerSubject,
    max_msgs_per_subject: definition.maxMsgsPerSubject ?? -1,
    max_age: nanos((definition.maxAgeSeconds ?? 0) * 1000),
    max_bytes: definition.maxBytes,
    duplicate_window: nanos(definition.duplicateWindowSeconds * 1000),
  }
}

function toConsumerConfig(definition: ConsumerDefinition): Partial<ConsumerConfig> {
  return {
    durable_name: definition.durable,
    filter_subject: definition.filterSubject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(definition.ackWaitSeconds * 1000),
    max_deliver: -1,
    max_ack_pending: definition.maxAckPending,
  }
}

function assertKept(what: string, wanted: object, got: object): void {
  const lost = differences(wanted, got)
  if (lost.length > 0) throw new Error(`The broker did not keep ${lost.join(', ')} of ${what}`)
}

/** Names of the wanted options that the other side does not have. The server leaves out what is false or zero. */
function differences(wanted: object, got: object): string[] {
  const actual = got as Record<string, unknown>
  return Object.entries(wanted)
    .filter(([name, value]) => JSON.stringify(actual[name] ?? zeroOf(value)) !== JSON.stringify(value))
    .map(([name]) => name)
}

function zeroOf(value: unknown): unknown {
  return typeof value === 'number' ? 0 : typeof value === 'boolean' ? false : undefined
}
