import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { auditRecord } from '../../src/internal/audit-record.ts'
import { type Message, subjectOf } from '../../src/internal/message.ts'
import { anyEvent, eventMessages, evictJob, proveJob, rehydrateJob, storeJob } from '../../src/internal/messages.ts'
import { consumers, networkConsumers, streams } from '../../src/internal/streams.ts'

/** Messages that go through a stream. */
const queued: Message[] = [storeJob, proveJob, rehydrateJob, evictJob, ...Object.values(eventMessages)]
const messages: Message[] = [auditRecord, ...queued]
const fixtures = new URL('../fixtures/', import.meta.url)

/** A message of an earlier release. Never edit it. */
function frozen(subject: string): unknown {
  return JSON.parse(readFileSync(new URL(`${subject}.json`, fixtures), 'utf8'))
}

describe('every message', () => {
  it('has a frozen fixture, and every fixture a message', () => {
    const subjects = messages.map(({ subject }) => `${subject}.json`)
    expect(readdirSync(fixtures).toSorted()).toEqual(subjects.toSorted())
  })

  it.each(messages)('$subject accepts earlier messages without loss, and fields that are added later', (message) => {
    const published = frozen(message.subject) as object
    expect(message.schema.parse(published)).toEqual(published)
    expect(message.schema.parse({ ...published, addedLater: true })).toEqual(published)
  })

  it.each(queued)('$subject goes to exactly one stream and one consumer', ({ subject }) => {
    const isOfCopy = subject === storeJob.subject || subject === proveJob.subject
    const id = '01939a1b-7c00-7abc-8def-0123456789ab'
    const concrete = subjectOf({ subject, schema: anyEvent.schema }, isOfCopy ? `walrus.${id}` : id)
    const all = [...Object.values(consumers), ...Object.values(networkConsumers('walrus'))]
    const inStreams = Object.values(streams).filter((stream) => stream.subjects.some((s) => matches(s, concrete)))
    const taken = all.filter((consumer) => matches(consumer.filterSubject, concrete))
    expect(inStreams).toHaveLength(1)
    expect(taken.map(({ stream }) => stream)).toEqual([inStreams[0]?.name])
  })
})

describe('every event', () => {
  it.each(Object.entries(eventMessages))(
    '%s parses equally as any event, and only by its own name',
    (type, { subject }) => {
      const event = frozen(subject)
      expect(anyEvent.schema.parse(event)).toEqual(event)
      expect(event).toMatchObject({ payload: { event: type } })
      expect(subject).toBe(`events.${type}.v1`)
    },
  )
})

/** NATS subject wildcards: `*` is one token, `>` one or more at the end. */
function matches(pattern: string, subject: string): boolean {
  const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace(/>$/, '.+')
  return new RegExp(`^${expression}$`).test(subject)
}
