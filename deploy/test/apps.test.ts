import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { root } from './support/docker.ts'

const { version } = manifest
const name = `ghcr.io/acme/tideport-all-in-one:${version}`
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
const repository = 'https://github.com/Acme/Tideport'
const write = (tag: string, image: string, directory: string) =>
  promisify(execFile)(process.execPath, [join(root, 'deploy/apps/write.ts'), tag, image, directory], {
    env: { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'Acme/Tideport' },
  })

const files: Record<string, string> = {}
beforeAll(async () => {
  await using directory = await createTemporaryDirectory('apps')
  await write(`v${version}`, `${name}@${digest}`, directory.path)
  for (const file of await readdir(directory.path)) files[file] = await readFile(join(directory.path, file), 'utf8')
})
/** As stores with YAML 1.1 read it. */
const read = (file: string): unknown => parse(files[file] ?? '', { version: '1.1' })

/** The store replaces it. */
const variable = (name: string) => `\${${name}}`
const text = z.string().min(1)
const url = z.url({ protocol: /^https$/ })
const english = z.strictObject({ en_US: text })
const image = z.literal(`${name}@${digest}`)
const seconds = z.literal('60s')
/** The container that gives a new folder to the user of the other one. */
const permissions = z.strictObject({
  image,
  user: z.literal('0:0'),
  entrypoint: z.tuple([z.literal('chown'), z.literal('1000:1000'), z.literal('/data')]),
  healthcheck: z.strictObject({ disable: z.literal(true) }),
  network_mode: z.literal('none'),
  restart: z.literal('no'),
  volumes: z.array(z.unknown()).length(1),
})
const onHostFolder = (source: string, address: string) =>
  z.strictObject({
    permissions,
    tideport: z.strictObject({
      image,
      stop_grace_period: seconds,
      container_name: z.literal('tideport'),
      depends_on: z.strictObject({ permissions: z.strictObject({ condition: z.literal('service_completed_successfully') }) }), // biome-ignore format: one shape
      restart: z.literal('unless-stopped'),
      ports: z.tuple([z.strictObject({ target: z.literal(8080), published: z.literal('8080'), protocol: z.literal('tcp') })]), // biome-ignore format: one shape
      environment: z.strictObject({ PUBLIC_URL: z.literal(address) }),
      volumes: z.tuple([z.strictObject({ type: z.literal('bind'), source: z.literal(source), target: z.literal('/data'), bind: z.strictObject({ create_host_path: z.literal(true) }) })]), // biome-ignore format: one shape
    }),
  })

/** The fields that each store documents, and no others. */
const stores: Record<string, z.ZodType> = {
  // https://github.com/IceWhaleTech/CasaOS-AppStore/blob/main/docs/specs/compose-and-x-casaos.md
  'app-casaos.yaml': z.strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
    services: onHostFolder('/DATA/AppData/$AppID/data', 'http://casaos.local:8080'),
    'x-casaos': z.strictObject({
      id: z.literal('io.github.acme.tideport'),
      main: z.literal('tideport'),
      index: z.literal('/console/'),
      port_map: z.literal('8080'),
      scheme: z.enum(['http', 'https']),
      title: english,
      icon: url,
      tagline: english,
      description: english,
      tips: z.strictObject({ before_install: english }),
      author: text,
      developer: text,
      category: z.enum(['Media', 'Productivity', 'Home', 'Networking', 'AI', 'Finance', 'Social', 'Developer', 'Others']), // biome-ignore format: one list
      architectures: z.array(z.enum(['amd64', 'arm64'])).length(2),
      version: z.literal(version),
      release_notes: english,
      website: url,
      repo: url,
      support: url,
      docs: url,
    }),
  }),
  // https://github.com/truenas/apps_validation: the JSON schema of x-portals and x-notes
  'app-truenas.yaml': z.strictObject({
    services: onHostFolder('/mnt/tank/apps/tideport', 'http://truenas.local:8080'),
    'x-portals': z.array(
      z.strictObject({ name: text, scheme: z.enum(['http', 'https']), host: text, port: z.int(), path: z.string().startsWith('/') }), // biome-ignore format: one shape
    ),
    'x-notes': text,
  }),
  // https://github.com/getumbrel/umbrel-apps: .tools/lint-apps.mjs
  'app-umbrel.yaml': z.strictObject({
    manifestVersion: z.literal(1),
    id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    category: z.enum(['ai', 'automation', 'bitcoin', 'crypto', 'developer', 'files', 'finance', 'media', 'networking', 'social']), // biome-ignore format: one list
    name: text.max(50),
    version: z.literal(version),
    tagline: z.string().min(1).max(100).regex(/[^.]$/),
    description: text.max(5000),
    releaseNotes: z.literal(''),
    developer: text.max(50),
    website: url,
    dependencies: z.tuple([]),
    repo: url,
    support: url,
    port: z.int().min(1).max(65_535),
    gallery: z.tuple([]),
    path: z.string().startsWith('/'),
    defaultUsername: z.literal(''),
    defaultPassword: z.literal(''),
    submitter: text.max(50),
    submission: url,
  }),
  'app-umbrel-compose.yaml': z.strictObject({
    services: z.strictObject({
      tideport: z.strictObject({
        image,
        stop_grace_period: seconds,
        restart: z.literal('on-failure'),
        ports: z.tuple([z.literal('8433:8080')]),
        environment: z.strictObject({ PUBLIC_URL: z.literal(`http://${variable('DEVICE_DOMAIN_NAME')}:8433`) }),
        volumes: z.tuple([z.literal(`${variable('APP_DATA_DIR')}/data:/data`)]),
      }),
    }),
  }),
  // https://coolify.io/docs/get-started/contribute/service
  'app-coolify.yaml': z.strictObject({
    services: z.strictObject({
      tideport: z.strictObject({
        image,
        stop_grace_period: seconds,
        environment: z.tuple([
          z.literal('SERVICE_URL_TIDEPORT_8080'),
          z.literal(`PUBLIC_URL=${variable('SERVICE_URL_TIDEPORT')}`),
          z.string().startsWith('TRUSTED_PROXIES='),
        ]),
        volumes: z.tuple([z.literal('tideport-data:/data')]),
      }),
    }),
    volumes: z.strictObject({ 'tideport-data': z.strictObject({}) }),
  }),
}

describe('the app definitions of a release', () => {
  it('are one file for each store, and two for Umbrel', () => {
    expect(Object.keys(files).toSorted()).toEqual([...Object.keys(stores), 'app-unraid.xml'].toSorted())
  })

  it.each(Object.entries(stores))('have in %s the fields that the store documents', (file, schema) => {
    schema.parse(read(file))
  })

  it('describe a template of Coolify in its comments', () => {
    const comments = files['app-coolify.yaml']?.match(/^# .*$/gm)?.map((line) => line.slice(2).split(': ')[0])
    expect(comments).toEqual(['documentation', 'slogan', 'category', 'tags', 'logo', 'port'])
  })

  // https://ca.unraid.net/submit/help/xml-field-reference and https://wiki.unraid.net/DockerTemplateSchema
  it('are a template of Unraid with escaped text and complete settings', () => {
    const template = files['app-unraid.xml'] ?? ''
    const element = /^ {2}<(\w+)>([^<>]+)<\/\1>\n/gm
    const setting = /^ {2}<Config Name="([^"<>]+)" Target="([^"<>]+)" Default="([^"<>]+)" Mode="[^"<>]*" Description="[^"<>]+" Type="(Port|Path|Variable)" Display="always" Required="true" Mask="false">\3<\/Config>\n/gm // biome-ignore format: one line
    const elements = Object.fromEntries([...template.matchAll(element)].map(([, key, value]) => [key, value]))
    expect(template.replaceAll(setting, '').replaceAll(element, '')).toBe('<?xml version="1.0"?>\n<Container version="2">\n</Container>\n') // biome-ignore format: one line
    expect(elements).toMatchObject({ Name: 'tideport', Repository: name, WebUI: 'http://[IP]:[PORT:8080]/console/', TemplateURL: `${repository}/releases/latest/download/app-unraid.xml` }) // biome-ignore format: one line
    expect(Object.keys(elements)).toEqual(
      expect.arrayContaining(['Overview', 'Category', 'Icon', 'Project', 'Support']),
    )
    expect([...template.matchAll(setting)].map(([, , target, , type]) => [type, target])).toEqual([
      ['Port', '8080'],
      ['Path', '/data'],
      ['Variable', 'PUBLIC_URL'],
    ])
  })

  it('link to files that the release has', () => {
    const linked = Object.values(files).flatMap((file) => file.match(/(?<=\/(?:blob|raw)\/v[\d.]+\/)[\w./-]+/g) ?? [])
    expect(new Set(linked)).toEqual(new Set(['docs/index.md', 'docs/images/icon.png']))
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('are not written for an image without a digest, because a tag can change', async () => {
    await expect(write('v1.0.0', name, '/nowhere')).rejects.toThrow(/has no tag and digest/)
  })
})
