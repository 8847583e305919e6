import { eventTypes, fileStateEvents, payloads } from '@tideport/contracts/public/webhook-payload'
import { describe, expect, it } from 'vitest'
import { samplePayload } from '../../src/delivery/sample-payload.ts'

describe('samplePayload', () => {
  it.each(eventTypes)('has the shape of a real payload: %s', (event) => {
    const payload = samplePayload(event, new Date('2026-01-02T03:04:05.006Z'))
    expect(payloads[event].parse(payload)).toEqual(payload)
    expect(payload).toMatchObject({ event, timestamp: '2026-01-02T03:04:05.006Z' })
    expect('error' in payload.data).toBe(event === 'file.error')
  })

  it.each(fileStateEvents)('has the status of the event: %s', (event) => {
    expect(samplePayload(event, new Date()).data).toMatchObject({ status: event.replace('file.', '') })
  })
})
