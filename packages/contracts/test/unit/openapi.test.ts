import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/endpoint/endpoint.ts'
import { errorStatus } from '../../src/endpoint/errors.ts'
import { buildOpenApi } from '../../src/openapi/build-openapi.ts'
import { api } from '../../src/public/api.ts'
import { eventTypes } from '../../src/public/webhook-payload.ts'

interface Operation {
  operationId: string
  security: object[]
  parameters: { name: string; in: string; required: boolean }[]
  responses: Record<string, { content?: object; headers: object }>
}

const document = JSON.parse(JSON.stringify(buildOpenApi()))
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const find = (id: string) => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`No operation ${id}`)
  return found
}

describe('buildOpenApi', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('documents every endpoint by its path, method, and ID', () => {
    for (const [id, endpoint] of Object.entries<Endpoint>(api)) {
      const { path, method } = find(id)
      expect(path).toBe(endpoint.path.replaceAll(/[:*](\w+)/g, '{$1}'))
      expect(method).toBe(endpoint.method.toLowerCase())
    }
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('documents 201 for endpoints that create something, and 200 for all others', () => {
    const creating = operations.filter(({ operation }) => '201' in operation.responses)
    expect(creating.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      [
        'addPasskey',
        'completeSetUp',
        'replaceRecoveryCode',
        'signInWithPasskey',
        'signInWithRecoveryCode',
        'createVault',
        'exportAccount',
        'requestUpload',
        'createApiKey',
        'rotateApiKey',
        'createWebhook',
        'putContent',
        'postContent',
        'createFileLink',
        'putLinkedContent',
        'createFolderLink',
        'startRun',
      ].toSorted(),
    )
    for (const { operation } of operations) expect('200' in operation.responses).toBe(!('201' in operation.responses))
  })

  it('declares exactly the path parameters that the path names', () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual([...path.matchAll(/{(\w+)}/g)].map(([, name]) => name))
      expect(declared.every(({ required }) => required)).toBe(true)
    }
  })

  it('lists the statuses of the errors that each endpoint adds', () => {
    for (const [id, endpoint] of Object.entries<Endpoint>(api)) {
      const statuses = Object.keys(find(id).operation.responses)
      for (const code of endpoint.errors) expect(statuses, id).toContain(String(errorStatus[code]))
    }
  })

  it('lists common errors only for endpoints that can return them', () => {
    const statuses = (id: string) => Object.keys(find(id).operation.responses).join(' ')
    expect(statuses('createVault')).toBe('201 400 401 403 404 409 413 415 422 429 500 503')
    expect(statuses('readVault')).toBe('200 401 403 404 429 500 503')
    expect(statuses('publicVault')).toBe('200 400 404 429 500 503')
  })

  it('documents bytes with ranges, and HEAD without a body', () => {
    for (const id of ['publicFileBytes', 'publicBlobBytes', 'signedDownload']) {
      const { operation } = find(id)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '206', '304', '416']))
      const head = find(`${id}Head`)
      expect(head.method).toBe('head')
      const statuses = Object.keys(operation.responses).filter((status) => status !== '302')
      expect(Object.keys(head.operation.responses)).toEqual(statuses)
      expect(JSON.stringify(head.operation.responses)).not.toMatch(/"content"|components\/responses/)
    }
  })

  it('lists the codes of each error status', () => {
    const { responses } = find('confirmUpload').operation
    expect(JSON.stringify(responses['409'])).toContain(
      '["path_taken","upload_incomplete","upload_lost","upload_mismatch"]',
    )
    expect(responses['404']).toEqual({ $ref: '#/components/responses/NotFound' })
    const notFound = document.components.responses.NotFound.content['application/json'].schema
    expect(notFound.properties.code.enum).toEqual(['not_found'])
  })

  it('requires the endpoint’s scope, and nothing for public endpoints', () => {
    expect(find('createVault').operation.security).toEqual([{ apiKey: ['vaults:write'] }, { identityProvider: [] }])
    expect(find('publicVault').operation.security).toEqual([])
  })

  it('refers only to components that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty([name])
  })

  it('allows new response fields, and no visibility in a PATCH', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
    const body = document.paths['/api/vaults/{vaultId}'].patch.requestBody.content['application/json'].schema
    expect(body.properties.visibility).toEqual({ not: {} })
  })

  it('describes the payload and signature of every webhook event', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes)
    const { parameters, requestBody } = document.webhooks['file.synced'].post
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('X-Service-Signature')
    expect(requestBody.content['application/json'].schema).toEqual({
      allOf: [{ $ref: '#/components/schemas/WebhookPayload' }],
      properties: { event: { const: 'file.synced' } },
    })
    const vault = document.webhooks['vault.deleted'].post.requestBody.content['application/json'].schema
    expect(vault.allOf).toEqual([{ $ref: '#/components/schemas/VaultPayload' }])
  })
})
