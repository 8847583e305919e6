import type { Text } from '../en.ts'

export const deAudit: Text['audit'] = {
  accountLead:
    'Änderungen an Ihren Schlüsseln, Anmeldungen und Webhooks: wer sie vorgenommen hat und von welcher Adresse. Sie werden ein Jahr lang aufbewahrt.',
  filesLead:
    'Änderungen an Ihren Dateien und Tresoren: wer sie vorgenommen hat und von welcher Adresse. Sie werden nach dem Löschen der Datei oder des Tresors ein Jahr lang aufbewahrt.',
  files: 'Dateien und Tresore',
  kind: 'Ereignis',
  anything: 'Alle Ereignisse',
  after: 'Von',
  before: 'Vor',
  anyone: 'Alle Schlüssel',
  moreKeys: 'Mehr Schlüssel laden',
  subject: 'Datei oder Tresor',
  subjectHint: 'ID',
  noId: 'Geben Sie eine gültige Datei- oder Tresor-ID ein.',
  empty: 'Keine Einträge',
  emptyText: 'Kein Eintrag passt zu diesen Filtern.',
  from: (address) => `von ${address}`,
  more: 'Details',
  moreOf: (kind) => `Details: ${kind}`,
  request: 'Anfrage',
  job: 'Auftrag',
  link: 'Link',
  methods: {
    api_key: 'API-Schlüssel',
    jwt: 'Benutzer',
    passkey: 'Passkey',
    recovery_code: 'Wiederherstellungscode',
    set_up: 'Einrichtungslink',
    development: 'Entwicklungsanmeldung',
    link: 'Link-Besucher',
    operator: 'Betreiber',
    system: 'System',
    job: 'Auftrag',
  },
}
