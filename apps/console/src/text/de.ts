import { deAudit } from './de/audit.ts'
import { deExport } from './de/export.ts'
import { deFile } from './de/file.ts'
import { deFiles } from './de/files.ts'
import { deJobs } from './de/jobs.ts'
import { deKeys } from './de/keys.ts'
import { deLinks } from './de/links.ts'
import { deLists } from './de/lists.ts'
import { deOperator } from './de/operator.ts'
import { dePrivacy } from './de/privacy.ts'
import { deRefusals } from './de/refusals.ts'
import { deUsage } from './de/usage.ts'
import { deVaults } from './de/vaults.ts'
import { deWebhooks } from './de/webhooks.ts'
import type { Text } from './en.ts'

export const de: Text = {
  app: {
    name: 'Tideport',
    skip: 'Zum Inhalt springen',
    menu: 'Menü',
    closeMenu: 'Menü schließen',
    pages: 'Seiten',
    loading: 'Lädt',
    stillLoading: 'Lädt noch. Der Dienst antwortet langsam, oder Ihre Verbindung ist langsam.',
    retry: 'Noch einmal versuchen',
    cancel: 'Abbrechen',
    close: 'Schließen',
    save: 'Speichern',
    copy: 'Kopieren',
    copied: 'Kopiert',
    more: 'Mehr laden',
    dismiss: 'Ausblenden',
    undo: 'Rückgängig',
    notices: 'Meldungen',
    failedTitle: 'Etwas ist schiefgegangen',
    failedText: 'Diese Seite ist wegen eines Fehlers in der Konsole stehen geblieben.',
    newer: 'Es gibt eine neuere Version der Konsole. Laden Sie neu, um sie zu verwenden.',
    reload: 'Neu laden',
    notLoadedTitle: 'Diese Seite konnte nicht geladen werden',
    notLoadedText: 'Es gibt keine Verbindung, oder es gibt eine neuere Version der Konsole.',
    notFoundTitle: 'Diese Seite gibt es nicht',
    notFoundText: 'Prüfen Sie die Adresse, oder gehen Sie zum Anfang.',
    goneTitle: 'Hier ist es nicht',
    goneText: 'Es wurde gelöscht, es ist im Papierkorb, oder die Adresse stimmt nicht.',
    toStart: 'Zum Anfang',
    language: 'Sprache',
    theme: 'Farben',
    themeAuto: 'Wie das System',
    themeLight: 'Hell',
    themeDark: 'Dunkel',
    settings: 'Einstellungen',
    noAnswer: 'Es kam keine Antwort. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.',
    wrongAnswer:
      'Die Antwort des Dienstes entspricht nicht der API. Versuchen Sie es später noch einmal, oder informieren Sie den Betreiber dieser Installation.',
    requestId: (id) => `Anfrage ${id}`,
  },
  nav: {
    vaults: 'Tresore',
    trash: 'Papierkorb',
    links: 'Links',
    keys: 'API-Schlüssel',
    webhooks: 'Webhooks',
    jobs: 'Aufträge',
    usage: 'Verbrauch',
    audit: 'Protokoll',
    export: 'Export',
    operator: 'Betrieb',
    docs: 'API-Referenz',
  },
  commands: {
    title: 'Befehle',
    placeholder: 'Befehl oder Seite eingeben',
    none: 'Nichts passt',
    open: 'Befehle',
    keys: 'Tastenkürzel',
    goTo: (page) => `Zu ${page}`,
    control: 'Strg',
    thisPage: 'Auf dieser Seite',
    everywhere: 'Überall',
  },
  signIn: {
    title: 'Anmelden',
    lead: 'Melden Sie sich an, um Ihre Dateien zu sehen und zu verwalten.',
    provider: 'Anmelden',
    providerAt: (host) => `Sie werden zu ${host} weitergeleitet.`,
    keyTitle: 'Mit einem API-Schlüssel',
    key: 'API-Schlüssel',
    keyHint: 'Er gilt nur in diesem Tab und wird vergessen, wenn der Tab geschlossen wird.',
    useKey: 'Diesen Schlüssel verwenden',
    keyBad: 'Dieser Schlüssel wurde nicht angenommen.',
    keyShape: 'Ein Schlüssel beginnt mit tdp_.',
    developmentTitle: 'Entwicklungsmodus',
    developmentHint: 'Diese Installation lässt jeden herein. Sie ist zum Ausprobieren da.',
    firstUser: 'Als erster Benutzer weiter',
    otherUser: 'Jemand anderes, mit beliebigem Namen',
    otherUserHint: 'Ist der Name neu, wird ein Konto angelegt.',
    continueAs: 'Weiter',
    out: 'Abmelden',
    leftHere: 'Der Identitätsanbieter ist nicht zu erreichen: Hier sind Sie abgemeldet, dort vielleicht nicht.',
    as: (who) => `Angemeldet als ${who}`,
    ended: 'Ihre Sitzung ist beendet. Bitte melden Sie sich noch einmal an.',
    failed: 'Die Anmeldung hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
    refused: (reason) => `Der Identitätsanbieter sagt: ${reason}`,
    untrusted: 'Die Antwort des Identitätsanbieters passte nicht zu dem, was gefragt war, und wurde nicht verwendet.',
    noWay: 'Hier meldet sich niemand über den Browser an. Verwenden Sie einen API-Schlüssel.',
    asKey: 'API-Schlüssel',
    asFirstUser: 'erster Benutzer',
  },
  file: deFile,
  privacy: dePrivacy,
  vaults: deVaults,
  lists: deLists,
  links: deLinks,
  keys: deKeys,
  webhooks: deWebhooks,
  jobs: deJobs,
  usage: deUsage,
  audit: deAudit,
  export: deExport,
  files: deFiles,
  operator: deOperator,
  refusals: deRefusals,
  uploads: {
    title: 'Uploads',
    underWay: (done, all) => `Wird hochgeladen: ${done.toLocaleString('de')} von ${all.toLocaleString('de')} fertig`,
    over: (done, failed) =>
      failed === 0
        ? `${done.toLocaleString('de')} hochgeladen`
        : `${done.toLocaleString('de')} hochgeladen, ${failed.toLocaleString('de')} fehlgeschlagen`,
    pause: 'Anhalten',
    resume: 'Weiter',
    cutOff: (done, all) => `Warten auf den Dienst: ${done.toLocaleString('de')} von ${all.toLocaleString('de')} fertig`,
    takenTitle: 'Datei ist schon vorhanden',
    takenText: (path) => `${path} ist in diesem Tresor schon vorhanden.`,
    takenForAll: (count) => `Mit allen ${count.toLocaleString('de')} vorhandenen Dateien ebenso verfahren`,
    takenHint:
      'Eine ersetzte Datei kommt in den Papierkorb. „Beide behalten“ ergibt zwei Dateien unter demselben Pfad.',
    takenCancel: 'Upload abbrechen',
    replace: 'Ersetzen',
    keepBoth: 'Beide behalten',
    skip: 'Überspringen',
    tryNow: 'Jetzt versuchen',
    retry: 'Fehlgeschlagene noch einmal',
    cancel: 'Abbrechen',
  },
  underWay: {
    title: 'Läuft gerade',
    kinds: {
      move: 'Verschiebt',
      copy: 'Kopiert',
      trash: 'Legt in den Papierkorb',
      restore: 'Stellt wieder her',
      delete: 'Löscht',
      publish: 'Veröffentlicht',
      export: 'Exportiert',
    },
    soFar: (files) => (files === 1 ? 'bisher 1 Datei' : `bisher ${files.toLocaleString('de')} Dateien`),
    cancel: 'Anhalten',
    cancelled: 'Angehalten. Was getan ist, bleibt getan.',
    failed: 'Es wurde aufgegeben.',
    left: (files) =>
      files === 1
        ? '1 Datei musste bleiben, wie sie war'
        : `${files.toLocaleString('de')} Dateien mussten bleiben, wie sie waren`,
  },
}
