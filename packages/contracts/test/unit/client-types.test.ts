import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, createClient } from '../../src/client/create-client.ts'
import type { Endpoint } from '../../src/endpoint/endpoint.ts'
import type { CallAnswer } from '../../src/endpoint/two-sides.ts'
import { api, type OperationId } from '../../src/public/api.ts'
import type { File } from '../../src/public/files.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const proven = <T extends true>(proof?: T) => proof === undefined

/** Never called: what is in here is for the compiler, which `npm run check` asks. */
async function typed(client: Client) {
  await client.listFiles()
  await client.listFiles({ query: { status: 'hot', limit: 5, trashed: 'true' } })
  await client.deleteVault({ params: { vaultId: '' }, query: { force: true } })
  // @ts-expect-error: a path parameter is missing
  await client.readFile()
  // @ts-expect-error: a path parameter has another name
  await client.readFile({ params: { vaultId: '' } })
  // @ts-expect-error: a required field of the body is missing
  await client.createVault({ body: { name: '' } })
  // @ts-expect-error: no member of the enum
  await client.createVault({ body: { name: '', visibility: 'secret' } })
  // @ts-expect-error: it takes no body
  await client.confirmUpload({ params: { fileId: '' }, body: {} })
  // @ts-expect-error: what cannot be changed is no field of the body
  await client.updateVault({ params: { vaultId: '' }, body: { visibility: 'public' } })
  // @ts-expect-error: the query of another endpoint
  await client.listVaults({ query: { status: 'hot' } })
  // @ts-expect-error: a number in place of a flag
  await client.listFiles({ query: { trashed: 1 } })
  // @ts-expect-error: ranges are of bytes
  await client.readFile({ params: { fileId: '' }, headers: { range: '' } })
  // @ts-expect-error: internal endpoints are in no client
  client.verifyApiKey
}

describe('the client', () => {
  it('has a call for each endpoint of the table, typed by its schemas', () => {
    expect(Object.keys(createClient({ baseUrl: '', credentials: null }))).toEqual(Object.keys(api))
    expect(typed).toBeTypeOf('function')
    expect(proven<Same<CallAnswer<typeof api.readFile>, File>>()).toBe(true)
    expect(proven<Same<CallAnswer<typeof api.publicFileBytes>, Response>>()).toBe(true)
  })

  // The client gives answers as they were sent, so a schema must not say that reading makes something else of them.
  it('reads answers that are what their schemas give', () => {
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
