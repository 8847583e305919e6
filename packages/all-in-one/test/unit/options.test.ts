import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { openAdmin } from '../../src/admin.ts'
import { parseOptions } from '../../src/options.ts'
import { screen } from '../../src/screen.ts'
import { readSettings } from '../../src/settings.ts'

it('starts on loopback and in the user’s data folder, unless options or the image say otherwise', () => {
  expect(parseOptions([], { XDG_DATA_HOME: '/home/a/data' })).toEqual({
    ...{
      command: 'start',
      dataDir: '/home/a/data/tideport',
      port: 8080,
      s3Port: 8084,
      host: '127.0.0.1',
      keyFile: undefined,
    },
  })
  const image = { TIDEPORT_DATA: '/data', HOST: '0.0.0.0', PORT: '80' }
  expect(parseOptions(['start'], image)).toMatchObject({ dataDir: '/data', port: 80, host: '0.0.0.0' })
  expect(parseOptions(['start', '--help'], image)).toMatchObject({ command: 'help' })
  expect(parseOptions(['move-out', '--data', '/d'], {})).toMatchObject({ command: 'move-out', dataDir: '/d' })
  expect(parseOptions(['--check'], image)).toMatchObject({ command: 'check' })
  expect(parseOptions(['start', '--data', '/d', '--port', '81', '--host', '::1'], image)).toMatchObject({
    ...{ dataDir: '/d', port: 81, host: '::1' },
  })
})

it.each([
  [['stop'], 'Unknown command "stop"'],
  [['--port', '0'], 'from 1 to 65535'],
  [['move-out', '--check'], '--check is an option of start, not of move-out.'],
  [['--prot', '1'], "Unknown option '--prot'"],
])('rejects %s with a sentence', (args, message) => {
  expect(() => parseOptions(args, {})).toThrow(message)
})

it('uses each external server that has an address, and reports misspelled and missing settings at once', () => {
  const database = { DATABASE_URL: 'postgres://admin:secret@db/tideport' }
  expect(readSettings({ ...database, TIDEPORT_URL: 'https://of.the.cli' }).external).toEqual({
    ...{ databaseUrl: database.DATABASE_URL, natsUrl: undefined, s3: undefined },
  })
  const wrong = {
    S3_ENDPOINT: 'https://s3.example.org',
    S3_BUCKET: 'hot',
    NATS_ULR: 'nats://n',
    HOT_RETENTION_SECOND: '1',
  }
  expect(() => readSettings(wrong)).toThrow(
    [
      'NATS_ULR: unknown setting. Did you mean NATS_URL?',
      'HOT_RETENTION_SECOND: unknown setting. Did you mean HOT_RETENTION_SECONDS?',
      'AWS_ACCESS_KEY_ID: is required together with S3_ENDPOINT',
      'AWS_SECRET_ACCESS_KEY: is required together with S3_ENDPOINT',
    ].join('\n'),
  )
  expect(() => readSettings({ DATABASE_URL: 'secret' })).toThrow(/^DATABASE_URL: is not valid$/)
})

it('says how to free the admin port, which a second installation on the machine shares', async () => {
  await using admin = createServer().listen(0, '127.0.0.1')
  await once(admin, 'listening')
  const { port } = admin.address() as AddressInfo
  await expect(openAdmin(port, '127.0.0.1')).rejects.toThrow(`The admin port ${port} is in use. Set ADMIN_PORT`)
})

it('shows the set-up link only to an installation without an owner', () => {
  const known = { publicUrl: 'https://files.example.org/', dataDir: '/data', keyFile: undefined }
  const link = 'https://files.example.org/console/set-up#token=t'
  expect(screen({ ...known, setUpLink: link })).toContain(link)
  expect(screen({ ...known, setUpLink: undefined })).toContain('Open https://files.example.org/console, and sign in.')
})
