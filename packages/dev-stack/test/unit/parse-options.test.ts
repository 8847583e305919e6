import { expect, test } from 'vitest'
import { parseOptions } from '../../src/cli/parse-options.ts'

test('defaults to one process with all services, port 8080, and existing data', () => {
  expect(parseOptions([])).toEqual({
    ...{ port: 8080, s3Port: 8084, data: '.tideport', fresh: false, replicas: {}, quiet: false },
  })
})

test('parses every option', () => {
  const args =
    '--port 0 --data /elsewhere --fresh --networks disk-a,disk-b --apart --replicas gateway=2,sync=3 --quiet'.split(' ')
  expect(parseOptions(args)).toEqual({
    port: 0,
    s3Port: 0,
    data: '/elsewhere',
    fresh: true,
    networks: ['disk-a', 'disk-b'],
    together: [],
    replicas: { gateway: 2, sync: 3 },
    quiet: true,
  })
})

test.each([
  [['0', '17', 'x', ''].map((count) => ['--replicas', `sync=${count}`]), 'sync must be a number from 1 to 16'],
  [['65536', '-1', '80.5', ''].map((port) => [`--port=${port}`]), '--port must be a number'],
  [['', 'disk-a,', 'Disk', 'a.b', 'a'.repeat(33)].map((names) => [`--networks=${names}`]), '--networks must be names'],
  [[['--networks', 'lake,lake']], 'contains a name twice'],
  [[['start']], "Unexpected argument 'start'"],
])('rejects %j', (commands, sentence) => {
  for (const args of commands) expect(() => parseOptions(args), args.join(' ')).toThrow(sentence)
})
