import { app, links, publicUrl, type Release } from './app.ts'

const { id, port, data, uid } = app
const folder = `/mnt/user/appdata/${id}`

/** A template of Unraid's Community Applications, as Unraid saves it. `file` is its name among the files of the release. */
export function unraid(release: Release, file: string): string {
  const { icon, support } = links(release)
  const [image = ''] = release.image.split('@')
  const permission = `If the log says that ${data} is not writable, run: chown ${uid}:${uid} ${folder}`
  const elements = {
    Name: id,
    // Unraid finds updates by the tag, so the digest is omitted.
    Repository: image,
    Registry: `https://${image.replace(/:[^:/]*$/, '')}`,
    Network: 'bridge',
    Shell: 'sh',
    Privileged: 'false',
    Support: support,
    Project: release.repository,
    Overview: `${app.description}\n\n${app.setUp}\n\n${permission}`,
    Category: 'Cloud: Tools:Utilities',
    WebUI: `http://[IP]:[PORT:${port}]/console/`,
    TemplateURL: `${release.repository}/releases/latest/download/${file}`,
    Icon: icon,
    ExtraParams: `--stop-timeout=${app.stopSeconds}`,
  }
  const lines = Object.entries(elements).map(([name, text]) => `  <${name}>${xml(text)}</${name}>\n`)
  // biome-ignore format: a table
  const settings = [
    setting({ Name: 'Port', Target: String(port), Default: String(port), Mode: 'tcp', Description: 'Console and API', Type: 'Port' }),
    setting({ Name: 'Data', Target: data, Default: folder, Mode: 'rw', Description: 'All data', Type: 'Path' }),
    setting({ Name: publicUrl.name, Target: publicUrl.name, Default: `http://tower.local:${port}`, Mode: '', Description: publicUrl.description, Type: 'Variable' }),
  ]
  return `<?xml version="1.0"?>\n<Container version="2">\n${lines.join('')}${settings.join('')}</Container>\n`
}

/** Community Applications needs the attributes in the order in which Unraid saves them. */
function setting(attributes: Record<'Name' | 'Target' | 'Default' | 'Mode' | 'Description' | 'Type', string>): string {
  const saved = { ...attributes, Display: 'always', Required: 'true', Mask: 'false' }
  const pairs = Object.entries(saved).map(([name, text]) => ` ${name}="${xml(text)}"`)
  return `  <Config${pairs.join('')}>${xml(attributes.Default)}</Config>\n`
}

const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
