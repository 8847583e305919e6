import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAnswer } from '../../src/remote/check-answer.ts'
import { runLine } from '../run-line.ts'

/** A server at the URL that returns 200 and this text for every request. */
let text = ''
const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
let url: string
let home: string
beforeAll(async () => {
  url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const directory = await createTemporaryDirectory('foreign')
  home = directory.path
  await mkdir(join(home, 'here'))
  await writeFile(join(home, 'here/a.txt'), 'a')
  return () => directory[Symbol.asyncDispose]()
})
afterAll(() => closeAtOnce(server))

function type(line: string) {
  const environment = { HOME: home, TIDEPORT_URL: url, TIDEPORT_API_KEY: 'tdp_x' }
  return runLine(line.replace('HERE', join(home, 'here')).split(' '), environment)
}

const id = '01a21349-feb8-7198-a97b-f286c865d481'
const lines = ['vaults', 'ls photos', 'cat photos:a', `cat ${id}`, 'upload HERE --to photos', 'sync HERE photos:a', 'sync photos:a HERE', 'download photos:a --to HERE', 'rm photos:a', `restore ${id}`, 'keys', 'keys create x', 'links', `jobs show ${id}`, 'jobs', 'usage', 'webhooks', `webhooks deliveries ${id}`, `watch ${id}`, `verify ${id}`] // biome-ignore format: one list

describe('a response that does not come from Tideport is reported with its endpoint, and the command exits with 1', () => {
  const answers = ['[]', '"ok"', '7', 'null', '{}', '{"status":"ok","vaults":{},"files":"none","id":7}', '<html>', '[{'] // biome-ignore format: one list
  it.each(answers)('%s', async (answer) => {
    text = answer
    for (const line of lines) {
      const { code, stdout, stderr } = await type(line)
      expect([line, code, stdout]).toEqual([line, 1, ''])
      expect(stderr, line).toMatch(
        /^\S+: .*The response to (GET|POST|PUT|DELETE) \/api\/\S+ (\(status \d+\) )?(does not|is not|contains no)/m,
      )
    }
  })
})

describe('a response', () => {
  const vault = { id, name: 'A', description: '', visibility: 'public', slug: 'a', isDefault: false, isExport: false, fileCount: 0, storageBytes: 0, filesExpireAfterSeconds: null, keyId: null, createdAt: 'x', updatedAt: 'x', deletedAt: null } // biome-ignore format: one record
  const faultOf = (vaults: unknown) => () => checkAnswer('GET /api/vaults', { vaults, nextCursor: null })

  it('with a wrong shape is reported with the wrong field', () => {
    expect(faultOf(null)).toThrow('vaults is null, not a list')
    expect(faultOf([vault, null])).toThrow('vaults[1] is null, not an object')
    expect(faultOf([{ ...vault, slug: 7 }])).toThrow('vaults[0].slug is a number, not a string')
    expect(faultOf([{ ...vault, name: undefined }])).toThrow('vaults[0].name is missing')
    expect(faultOf([{ ...vault, storageBytes: [] }])).toThrow('vaults[0].storageBytes is a list, not a number')
    expect(faultOf([{ ...vault, keyId: {} }])).toThrow('vaults[0].keyId is an object, not a string')
    expect(() => checkAnswer('GET /api/vaults', JSON.parse('{"__proto__":{"vaults":[],"nextCursor":null}}'))).toThrow(
      'vaults is missing',
    )
  })

  it('of an older or newer service is accepted: booleans and nullable fields may be missing, and unknown fields may exist', () => {
    const { isExport: _, keyId: __, ...before } = vault
    expect(faultOf([before, { ...vault, visibility: 'secret', colour: 'grey' }])).not.toThrow()
    expect(() => checkAnswer('GET /api/of-tomorrow', { anything: 1 })).not.toThrow()
  })
})
