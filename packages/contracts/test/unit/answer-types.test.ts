import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../src/endpoint/endpoint.ts'
import { api, type OperationId } from '../../src/public/api.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const proven = <T extends true>(proof?: T) => proof === undefined

describe('the schemas of responses', () => {
  // Clients receive responses as they were sent, so reading must not turn a response into something else.
  it('describe responses as they are sent', () => {
    type Sent<Id extends OperationId> = (typeof api)[Id]['success'] extends { schema: infer S extends z.ZodType }
      ? Same<z.input<S>, z.output<S>>
      : true
    expect(proven<{ [Id in OperationId]: Sent<Id> }[OperationId]>()).toBe(true)
    for (const { success } of Object.values<Endpoint>(api)) {
      // Throws for a transform.
      if ('schema' in success) expect(() => z.toJSONSchema(success.schema)).not.toThrow()
    }
  })
})
