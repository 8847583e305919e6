import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Answered, Sent } from '@tideport/contracts/endpoint/two-sides'
import { api } from '@tideport/contracts/public/api'
import { expect, it } from 'vitest'
import * as sdk from '../../src/tideport.ts'

type Api = typeof api
type Answer<Id extends keyof Api> = Answered<Api[Id]>

/** Compiles only if the responses of the service have the types of the SDK. */
export const answers = (file: Answer<'readFile'>, vault: Answer<'readVault'>, page: Answer<'listFiles'>) => {
  const said: [sdk.FileRecord, sdk.Vault, sdk.ListFilesAnswer] = [file, vault, page]
  return said
}
/** Compiles only if the service accepts the inputs of the SDK. */
export const bodies = (upload: sdk.RequestUploadInput, webhook: sdk.CreateWebhookInput) => {
  const taken: [Sent<Api['requestUpload']>, Sent<Api['createWebhook']>] = [upload, webhook]
  return taken
}

it('has a function for every endpoint of the public API', () => {
  const isForPeople = (endpoint: Endpoint) => 'page' in endpoint.success
  const missing = Object.entries<Endpoint>(api).filter(
    ([id, endpoint]) => !endpoint.takesBytes && !isForPeople(endpoint) && !(id in sdk),
  )
  expect(missing.map(([id]) => id)).toEqual([])
})
