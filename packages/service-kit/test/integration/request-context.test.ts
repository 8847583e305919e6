import { Agent, request } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { currentTrace, currentWaitBudget, outsideOfRequests } from '../../src/context/request-context.ts'
import { serve } from '../../src/http/route.ts'
import { listen } from '../listen.ts'

const echo = endpoint({
  service: 'files',
  summary: 'Test',
  errors: [],
  method: 'POST',
  path: '/echo',
  access: 'public',
  body: z.object({ name: z.string() }),
  success: { status: 200, schema: z.object({ requestId: z.string(), leftMs: z.number() }) },
})

async function setup() {
  const { app, log, lines, port } = await listen([
    serve(echo, async ({ body }) => {
      await nextTurn()
      log.info({ name: body.name }, 'inside')
      outsideOfRequests(() => log.info({ name: body.name }, 'outside'))
      return { requestId: currentTrace().requestId, leftMs: currentWaitBudget()?.leftMs ?? -1 }
    }),
  ])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  /** Sends a request whose body arrives in two pieces, the second one long after the head. */
  async function call(name: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const headers = {
      'content-type': 'application/json',
      'x-request-id': name,
      traceparent: `00-${name.padEnd(32, '0')}-00f067aa0ba902b7-01`,
      [principalHeader]: 'any',
    }
    const sent = request({ host: '127.0.0.1', port, path: '/echo', method: 'POST', agent, headers }, (answer) => {
      answer.setEncoding('utf8').once('data', (text) => resolve(JSON.parse(text)))
    })
    sent.once('error', reject)
    const body = JSON.stringify({ name })
    sent.write(body.slice(0, 4), () => sent.end(body.slice(4)))
    return await promise
  }
  return {
    call,
    lines,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await app.close()
    },
  }
}

it('a request keeps its own context after its body arrived, also on a reused connection', async () => {
  await using t = await setup()
  for (const name of ['a1', 'b2', 'c3']) {
    expect(await t.call(name)).toEqual({ requestId: name, leftMs: 1700 })
  }
})

it('each log line of a request has its ID and its trace, and other lines have neither', async () => {
  await using t = await setup()
  await Promise.all(['a1', 'b2'].map(t.call))
  for (const name of ['a1', 'b2']) {
    const ids = { requestId: name, traceId: name.padEnd(32, '0') }
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'inside', name, ...ids }))
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'request served', ...ids }))
    const outside = t.lines.find((line) => line['msg'] === 'outside' && line['name'] === name)
    expect(outside).not.toHaveProperty('requestId')
    expect(outside).not.toHaveProperty('traceId')
  }
})
