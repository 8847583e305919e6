import { describe, expect, it } from 'vitest'
import { createCircuits } from '../../src/process/circuit.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'

function setup() {
  const state = { isUp: true, probes: 0 }
  const metrics = createMetrics('test')
  const probe = async () => {
    state.probes++
    if (!state.isUp) throw new Error('down')
  }
  const log = createLogger({ service: 'test', level: 'silent' })
  const circuit = createCircuits({ log, metrics, signal: new AbortController().signal })('disk', probe)
  return { state, metrics, circuit }
}

describe('a circuit', () => {
  it('stays open while the probe fails, and closes when the probe succeeds', async () => {
    const { state, metrics, circuit } = setup()
    expect(circuit.isClosed()).toBe(true)
    state.isUp = false
    circuit.open(new Error('down'))
    expect(circuit.isClosed()).toBe(false)
    expect((await metrics.render()).text).toContain('tideport_circuit_open{needs="disk",service="test"} 1')
    await expect.poll(() => state.probes).toBeGreaterThan(1)
    expect(circuit.isClosed()).toBe(false)
    state.isUp = true
    await expect.poll(() => circuit.isClosed()).toBe(true)
    expect((await metrics.render()).text).toContain('tideport_circuit_open{needs="disk",service="test"} 0')
  })

  it('reports the result of a probe at once, and probes once when it is opened repeatedly', async () => {
    const { state, circuit } = setup()
    expect(await circuit.answers()).toBe(true)
    state.isUp = false
    expect(await circuit.answers()).toBe(false)
    state.isUp = true
    state.probes = 0
    for (let i = 0; i < 5; i++) circuit.open(new Error('down'))
    await expect.poll(() => circuit.isClosed()).toBe(true)
    expect(state.probes).toBe(1)
  })

  it('stops probing when it is disposed', async () => {
    const { state, circuit } = setup()
    state.isUp = false
    circuit.open(new Error('down'))
    await circuit[Symbol.asyncDispose]()
    expect(state.probes).toBe(0)
  })
})
