import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { ensureAccount, findAccount, findS3Key, recheckApiKeys, verifyApiKey } from '@tideport/contracts/internal/api'
import { listAccountEvents } from '@tideport/contracts/public/account-events'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey, rotateApiKey } from '@tideport/contracts/public/api-keys'
import * as passkeys from '@tideport/contracts/public/passkeys'
import * as setUp from '@tideport/contracts/public/set-up'
import * as signIn from '@tideport/contracts/public/sign-in'
import { describe, expect, it } from 'vitest'
import { type Route, serve } from '../../src/http/route.ts'
import { routesOf } from '../../src/http/routes-of.ts'

const route = <const E extends Endpoint>(endpoint: E): Route<E> => serve(endpoint, () => Promise.reject(new Error()))

const forOwners = {
  createApiKey: route(createApiKey),
  listApiKeys: route(listApiKeys),
  readApiKey: route(readApiKey),
  revokeApiKey: route(revokeApiKey),
  rotateApiKey: route(rotateApiKey),
  listAccountEvents: route(listAccountEvents),
  listPasskeys: route(passkeys.listPasskeys),
  beginPasskey: route(passkeys.beginPasskey),
  addPasskey: route(passkeys.addPasskey),
  renamePasskey: route(passkeys.renamePasskey),
  deletePasskey: route(passkeys.deletePasskey),
  replaceRecoveryCode: route(passkeys.replaceRecoveryCode),
}
const forEveryone = {
  beginSetUp: route(setUp.beginSetUp),
  completeSetUp: route(setUp.completeSetUp),
  beginPasskeySignIn: route(signIn.beginPasskeySignIn),
  signInWithPasskey: route(signIn.signInWithPasskey),
  signInWithRecoveryCode: route(signIn.signInWithRecoveryCode),
}
const forTheGateway = {
  verifyApiKey: route(verifyApiKey),
  findS3Key: route(findS3Key),
  recheckApiKeys: route(recheckApiKeys),
  ensureAccount: route(ensureAccount),
  findAccount: route(findAccount),
}
const ofAuth = { ...forOwners, ...forEveryone, ...forTheGateway }

describe('the routes of a service', () => {
  it('are a list of all given routes', () => {
    expect(routesOf<'auth'>(ofAuth)).toEqual(Object.values(ofAuth))
  })

  it('compile only if they serve every endpoint of the service, and no others', () => {
    const { listApiKeys: _list, ...withoutList } = ofAuth
    const { findAccount: _find, ...withoutFind } = ofAuth
    // @ts-expect-error: a public endpoint has no route
    routesOf<'auth'>(withoutList)
    // @ts-expect-error: an internal endpoint has no route
    routesOf<'auth'>(withoutFind)
    // @ts-expect-error: a route of a different endpoint
    routesOf<'auth'>({ ...ofAuth, readApiKey: route(revokeApiKey) })
    // @ts-expect-error: a route without the type of its endpoint
    routesOf<'auth'>({ ...ofAuth, readApiKey: route(readApiKey) as Route })
    // @ts-expect-error: an unknown endpoint
    routesOf<'auth'>({ ...ofAuth, unknown: route(readApiKey) })
    // @ts-expect-error: the endpoints of another service
    routesOf<'webhooks'>(ofAuth)
    // @ts-expect-error: without a service name, the endpoints of all services are required
    routesOf(ofAuth)
  })
})
