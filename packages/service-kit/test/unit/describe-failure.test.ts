import { describe, expect, it } from 'vitest'
import { describeFailure, describeStatus } from '../../src/outgoing/describe-failure.ts'

describe('describeStatus', () => {
  it('reports no failure only for statuses 200 to 299', () => {
    const statuses = Array.from({ length: 500 }, (_, index) => 100 + index)
    expect(statuses.filter((status) => describeStatus(status) === null)).toEqual(
      Array.from({ length: 100 }, (_, index) => 200 + index),
    )
    expect(describeStatus(307)).toBe('HTTP status 307; redirects are not followed')
  })
})

describe('describeFailure', () => {
  it.each([
    ['ENOTFOUND', 'The host name could not be resolved'],
    ['ECONNREFUSED', 'The connection could not be established'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'A secure connection could not be established'],
    ['toString', 'The request failed'],
  ])('describes %s in our own words', (code, sentence) => {
    expect(describeFailure(Object.assign(new Error('connect 10.0.0.1:5432'), { code }))).toBe(sentence)
  })

  it('never includes the message of an error', () => {
    expect(describeFailure(new Error('secret inside'))).toBe('The request failed')
    expect(describeFailure(null)).toBe('The request failed')
  })
})
