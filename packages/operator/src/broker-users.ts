import { consumers, networkConsumers, streams } from '@tideport/contracts/internal/streams'

interface Rights {
  publish: readonly string[]
  subscribe: readonly string[]
  /** Whether it may answer what it is asked. */
  answers?: true
}

const names = Object.values(streams).map(({ name }) => name)
const apiOf = (...calls: string[]) => calls.map((call) => `$JS.API.${call}`)
const eachStream = (call: string) => apiOf(...names.map((name) => `${call}.${name}`))
const takeFrom = (stream: string) => [...apiOf(`CONSUMER.MSG.NEXT.${stream}.*`), `$JS.ACK.${stream}.>`]

/** Of any network: its name is a token of the filter. */
const { store, prove } = networkConsumers('*')
const queues = [...Object.values(consumers), { ...store, durable: '*' }, { ...prove, durable: '*' }]

/** To watch the streams and consumers, and to create those that a broker has lost. An existing stream stays as it is. */
const restoreStreams = [
  ...apiOf('INFO'),
  ...eachStream('STREAM.INFO'),
  ...eachStream('STREAM.CREATE'),
  ...apiOf(...names.map((name) => `CONSUMER.INFO.${name}.*`)),
  ...apiOf(
    ...queues.map(({ stream, durable, filterSubject }) => `CONSUMER.CREATE.${stream}.${durable}.${filterSubject}`),
  ),
]
const setUpStreams = [...restoreStreams, ...eachStream('STREAM.UPDATE')]
const ofFiles = ['jobs.>', 'events.>', ...restoreStreams, ...apiOf(`STREAM.MSG.GET.${streams.events.name}`)]
const audit = 'audit.>'

/** A client receives replies, and the messages that it pulls, below this subject only. */
const inboxOf = (name: string) => `_INBOX.${name}.>`

/** What each process may do at NATS (docs/operations.md), by the name with which it connects. */
export const brokerRights: Readonly<Record<string, Rights>> = {
  'set-up': { publish: setUpStreams, subscribe: [inboxOf('set-up')] },
  // It connects as the set-up does, and takes the queues of a network that has left out of the broker.
  operator: {
    publish: [...setUpStreams, ...apiOf('CONSUMER.DELETE.JOBS.*', 'STREAM.PURGE.JOBS')],
    subscribe: [inboxOf('set-up')],
  },
  auth: { publish: [], subscribe: [audit], answers: true },
  files: { publish: ofFiles, subscribe: [inboxOf('files')] },
  sync: { publish: [...ofFiles, ...takeFrom(streams.jobs.name)], subscribe: [inboxOf('sync')] },
  eviction: { publish: [...ofFiles, ...takeFrom(streams.jobs.name)], subscribe: [inboxOf('eviction')] },
  webhooks: {
    publish: [audit, ...restoreStreams, ...takeFrom(streams.events.name)],
    subscribe: [inboxOf('webhooks')],
  },
}

/** Configuration of nats-server, which reads JSON as a value: a user for each process. */
export function brokerConfiguration(passwords: Readonly<Record<string, string>>): string {
  const users = Object.entries(brokerRights).map(([user, { publish, subscribe, answers }]) => ({
    user,
    password: passwords[user],
    permissions: {
      publish: { allow: publish },
      subscribe: { allow: subscribe },
      ...(answers && { allow_responses: true }),
    },
  }))
  return `authorization ${JSON.stringify({ users }, null, 2)}`
}
