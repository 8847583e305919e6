import { expect, test } from 'vitest'
import { parseOptions } from '../../src/cli/parse-options.ts'

test('without options it is one process of each on port 8080, on kept data', () => {
  expect(parseOptions([])).toEqual({ port: 8080, data: '.tideport', fresh: false, replicas: {}, quiet: false })
})

test('every option of the command reaches the stack', () => {
  const args = '--port 0 --data /elsewhere --fresh --networks disk-a,disk-b --replicas gateway=2,sync=3 --quiet'.split(
    ' ',
  )
  expect(parseOptions(args)).toEqual({
    port: 0,
    data: '/elsewhere',
    fresh: true,
    networks: ['disk-a', 'disk-b'],
    replicas: { gateway: 2, sync: 3 },
    quiet: true,
  })
})

test.each(['0', '17', 'x', ''])('%j is no number of replicas', (count) => {
  expect(() => parseOptions(['--replicas', `sync=${count}`])).toThrow('sync takes a number from 1 to 16')
})

test.each(['65536', '-1', '80.5', ''])('%j is no port', (port) => {
  expect(() => parseOptions([`--port=${port}`])).toThrow('--port takes a number')
})

test.each(['', 'disk-a,', 'Disk', 'a.b', 'a'.repeat(33)])('%j names no storage networks', (names) => {
  expect(() => parseOptions([`--networks=${names}`])).toThrow('--networks takes names')
})

test('a storage network is named once', () => {
  expect(() => parseOptions(['--networks', 'lake,lake'])).toThrow('given twice')
})

test('what is neither option nor value is refused', () => {
  expect(() => parseOptions(['start'])).toThrow("Unexpected argument 'start'")
})
