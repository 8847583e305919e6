import { stringify } from 'yaml'
import { app, links, publicUrl, type Release } from './app.ts'

const { id, port, data, uid } = app
const service = ({ image }: Release) => ({ image, stop_grace_period: `${app.stopSeconds}s` })
/** YAML 1.1, in which some stores read `no` as false and `0:0` as a number, so both are quoted. */
const yaml = (value: unknown) => stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })

/** A template of Coolify, which has its facts in comments. Coolify generates the address. */
export function coolify(release: Release): string {
  const facts = {
    documentation: links(release).docs,
    slogan: app.tagline,
    category: 'storage',
    tags: app.tags.join(','),
    logo: `svgs/${id}.svg`,
    port,
  }
  const name = id.toUpperCase()
  const compose = {
    services: {
      [id]: {
        ...service(release),
        // The first variable gives the service an address whose requests go to this port. Coolify's proxy has a private address.
        environment: [
          `SERVICE_URL_${name}_${port}`,
          `${publicUrl.name}=\${SERVICE_URL_${name}}`,
          'TRUSTED_PROXIES=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
        ],
        volumes: [`${id}-data:${data}`],
      },
    },
    volumes: { [`${id}-data`]: {} },
  }
  const comments = Object.entries(facts).map(([fact, value]) => `# ${fact}: ${value}\n`)
  return `${comments.join('')}\n${yaml(compose)}`
}

/** An app of the CasaOS and ZimaOS stores. */
export function casaos(release: Release): string {
  const { docs, icon, notes, support } = links(release)
  const english = (text: string) => ({ en_US: text })
  return yaml({
    name: id,
    services: onHostFolder(release, {
      folder: '/DATA/AppData/$AppID/data',
      address: `http://casaos.local:${port}`,
    }),
    'x-casaos': {
      // Example: io.github.acme.tideport
      id: `${ownerDomain(release)}.${id}`,
      main: id,
      index: '/console/',
      port_map: String(port),
      scheme: 'http',
      title: english(app.name),
      icon,
      tagline: english(app.tagline),
      description: english(app.description),
      tips: { before_install: english(`Set ${publicUrl.name}: ${publicUrl.description}. ${app.setUp}`) },
      author: app.developer,
      developer: app.developer,
      category: 'Productivity',
      architectures: ['amd64', 'arm64'],
      version: release.version,
      release_notes: english(notes),
      website: release.repository,
      repo: release.repository,
      support,
      docs,
    },
  })
}

/** A custom app of TrueNAS: "Install via YAML". */
export function truenas(release: Release): string {
  const compose = {
    services: onHostFolder(release, { folder: `/mnt/tank/apps/${id}`, address: `http://truenas.local:${port}` }),
    'x-portals': [{ name: 'Console', scheme: 'http', host: '0.0.0.0', port, path: '/console/' }],
    'x-notes': `${app.setUp}\n\nDocumentation: ${links(release).docs}\n`,
  }
  return `# Edit two values: the dataset /mnt/tank/apps/${id}, and ${publicUrl.name}.\n${yaml(compose)}`
}

/** The two files of an app of Umbrel. Umbrel gives its user 1000 the data. */
export function umbrel(release: Release): { manifest: string; compose: string } {
  // Not behind Umbrel's own sign-in, which clients of the API cannot pass. In the official store, ports are unique.
  const hostPort = 8433
  return {
    manifest: yaml({
      manifestVersion: 1,
      id,
      category: 'files',
      name: app.name,
      version: release.version,
      tagline: app.tagline,
      description: `${app.setUp}\n\n${app.description}`,
      releaseNotes: '',
      developer: app.developer,
      website: release.repository,
      dependencies: [],
      repo: release.repository,
      support: links(release).support,
      port: hostPort,
      gallery: [],
      path: '/console/',
      defaultUsername: '',
      defaultPassword: '',
      submitter: app.developer,
      submission: release.repository,
    }),
    compose: yaml({
      services: {
        [id]: {
          ...service(release),
          restart: 'on-failure',
          ports: [`${hostPort}:${port}`],
          environment: { [publicUrl.name]: `http://\${DEVICE_DOMAIN_NAME}:${hostPort}` },
          volumes: [`\${APP_DATA_DIR}/data:${data}`],
        },
      },
    }),
  }
}

/** The store or Docker creates the folder as root, so a first container gives it to the user of the second. */
function onHostFolder(release: Release, { folder, address }: { folder: string; address: string }) {
  const volumes = [{ type: 'bind', source: folder, target: data, bind: { create_host_path: true } }]
  return {
    permissions: {
      image: release.image,
      user: '0:0',
      entrypoint: ['chown', `${uid}:${uid}`, data],
      healthcheck: { disable: true },
      network_mode: 'none',
      restart: 'no',
      volumes,
    },
    [id]: {
      ...service(release),
      container_name: id,
      depends_on: { permissions: { condition: 'service_completed_successfully' } },
      restart: 'unless-stopped',
      ports: [{ target: port, published: String(port), protocol: 'tcp' }],
      environment: { [publicUrl.name]: address },
      volumes,
    },
  }
}

/** The reversed domain name of the repository's owner. */
function ownerDomain({ repository }: Release): string {
  const { hostname, pathname } = new URL(repository)
  const [owner = ''] = pathname.slice(1).split('/')
  const host = hostname === 'github.com' ? ['io', 'github'] : hostname.split('.').toReversed()
  return [...host, owner.toLowerCase()].join('.')
}
