import { describe, expect, it } from 'vitest'
import { StartError } from '../../src/processes/await-ready.ts'
import { planProcesses } from '../../src/services/plan-processes.ts'
import { withFreePorts } from '../../src/services/with-free-ports.ts'

const taken = () => new StartError('auth-0 ended: listen EADDRINUSE: address already in use 127.0.0.1:20001')
const plan = () => planProcesses({ port: 0, s3Port: 0 }, { together: [], replicas: {} })

describe('withFreePorts', () => {
  it('plans other ports if another process takes a port between the check and the start', async () => {
    const planned: number[][] = []
    const started = await withFreePorts(plan, async (processes) => {
      planned.push(processes.map(({ port }) => port))
      if (planned.length === 1) throw taken()
      return 'started'
    })
    expect(started).toBe('started')
    expect(planned).toHaveLength(2)
    expect(planned[0]).not.toEqual(planned[1])
  })

  it('fails immediately on other errors, and after a few attempts on taken ports', async () => {
    let starts = 0
    const failing = (error: Error) =>
      withFreePorts(plan, () => {
        starts++
        return Promise.reject(error)
      })
    await expect(failing(new Error('not migrated'))).rejects.toThrow('not migrated')
    expect(starts).toBe(1)
    await expect(failing(taken())).rejects.toThrow('already in use')
    expect(starts).toBe(6)
  })
})
