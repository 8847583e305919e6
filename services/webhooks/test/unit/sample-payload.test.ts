import { eventTypes, webhookPayload } from '@tideport/contracts/public/webhook-payload'
import { describe, expect, it } from 'vitest'
import { samplePayload } from '../../src/delivery/sample-payload.ts'

describe('samplePayload', () => {
  it.each(eventTypes)('is a payload as receivers know it: %s', (event) => {
    const payload = samplePayload(event, new Date('2026-01-02T03:04:05.006Z'))
    expect(webhookPayload.parse(payload)).toEqual(payload)
    expect(payload).toMatchObject({ event, timestamp: '2026-01-02T03:04:05.006Z' })
    expect(payload.data.status).toBe(event.replace('file.', ''))
    expect('error' in payload.data).toBe(event === 'file.error')
  })
})
