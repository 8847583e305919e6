import type { Text } from '../en.ts'

export const deAudit: Text['audit'] = {
  accountLead:
    'Was mit Ihren Schlüsseln, Anmeldungen und Webhooks geschah, durch wen und von wo aus. Ein Jahr lang aufbewahrt.',
  filesLead:
    'Was mit Ihren Dateien und Tresoren geschah, durch wen und von wo aus. Aufbewahrt bis ein Jahr, nachdem es sie nicht mehr gibt.',
  files: 'Dateien und Tresore',
  kind: 'Was',
  anything: 'Alles',
  after: 'Von',
  before: 'Vor',
  anyone: 'Alle',
  moreKeys: 'Weitere Schlüssel zur Auswahl',
  subject: 'Datei oder Tresor',
  subjectHint: 'Die Id',
  noId: 'Das ist keine Id.',
  empty: 'Es ist nichts geschehen',
  emptyText: 'Es gibt keinen Eintrag, der passt.',
  from: (address) => `von ${address}`,
  more: 'Mehr',
  moreOf: (kind) => `Mehr: ${kind}`,
  request: 'Anfrage',
  job: 'Auftrag',
  link: 'Link',
  methods: {
    api_key: 'API-Schlüssel',
    jwt: 'Person',
    development: 'Entwicklungs-Anmeldung',
    link: 'Jemand über einen Link',
    operator: 'Betreiber',
    system: 'Der Dienst',
    job: 'Ein Auftrag',
  },
}
