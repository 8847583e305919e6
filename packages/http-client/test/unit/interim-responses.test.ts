import { interimResponses, startInterimServer } from '@tideport/testing/interim-server'
import { expect, it } from 'vitest'
import { openPool } from '../../src/pool.ts'

/** A body that looks like a response. */
const body = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oh\r\n\r\n'

const cases = Object.entries(interimResponses).flatMap(([name, pieces]) => [
  { name, pieces, isEarly: false },
  { name: `${name} before the body is read`, pieces, isEarly: true },
])

it.each(cases)('accepts $name, and reuses the connection', async ({ pieces, isEarly }) => {
  await using server = await startInterimServer({ pieces, isEarly, body })
  const pool = openPool(server.url, { connections: 1, connect: {} })
  try {
    for (const sent of ['first', 'second']) {
      const answer = await pool.request({ method: 'POST', path: '/', body: sent })
      expect({ status: answer.statusCode, body: await answer.body.text() }).toEqual({ status: 200, body })
    }
    expect(server.bodies).toEqual(['first', 'second'])
  } finally {
    await pool.destroy()
  }
})

it('reports a refused connection', async () => {
  const server = await startInterimServer({ pieces: [] })
  await server[Symbol.asyncDispose]()
  const pool = openPool(server.url, { connections: 1, connect: {} })
  await expect(pool.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await pool.destroy()
})
