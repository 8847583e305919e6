{{/*
A Job, or a hook with the same content. Takes root, name, hook (events, weight, and policy of a hook, or nothing), needs, args, and env
(YAML) of its container, and limits (backoffLimit, activeDeadlineSeconds).
A hook before the release uses only your Secrets and the namespace's ServiceAccount, because objects of the release do not exist yet.
Jobs are immutable, so the name of a Job that is no hook contains a checksum of its content. If the content changes, the Job runs again.
The Job has one container and no init containers, because Helm does not print the logs of init containers of a failed hook.
*/}}
{{- define "tideport.job" -}}
{{- $root := .root }}
{{- $hook := .hook | default dict }}
{{- $values := include "tideport.component" (dict "root" $root "name" "jobs") | fromYaml }}
{{- $spec := include "tideport.jobSpec" (merge (dict "isBefore" (contains "pre-install" (default "" $hook.events)) "values" $values) .) }}
{{- $labels := dict "root" $root "name" .name }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "tideport.fullname" $root }}-{{ .name }}{{ if not $hook }}-{{ sha256sum $spec | trunc 8 }}{{ end }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
  {{- if or $hook $values.annotations }}
  annotations:
    {{- with $hook }}
    helm.sh/hook: {{ .events }}
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: {{ .policy }}
    helm.sh/hook-output-log-policy: hook-failed
    {{- end }}
    {{- with $values.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  {{- $spec | nindent 2 }}
{{- end }}

{{/* A hook before the release. Only a failed Job is kept, for its log. Takes the weight. */}}
{{- define "tideport.hookBefore" -}}
{events: "pre-install,pre-upgrade", weight: {{ . }}, policy: "before-hook-creation,hook-succeeded"}
{{- end }}

{{/* A hook after the objects of the release. The Job is kept to show the result of the set-up. It does not run after a
rollback: a failed hook would leave the release in pending-rollback, which blocks every upgrade. Takes the weight. */}}
{{- define "tideport.hookAfter" -}}
{events: "post-install,post-upgrade", weight: {{ . }}, policy: before-hook-creation}
{{- end }}

{{- define "tideport.jobSpec" -}}
{{- $root := .root }}
backoffLimit: {{ .limits.backoffLimit }}
activeDeadlineSeconds: {{ .limits.activeDeadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "tideport.selectorLabels" (dict "root" $root "name" .name) | nindent 6 }}
      {{- if has "volume" .needs }}
      tideport/network-volume: {{ $root.Release.Name }}
      {{- end }}
      {{- with .values.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with .values.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    # Failed pods are kept for their logs. Every step can be repeated.
    restartPolicy: Never
    {{- if .isBefore }}
    {{- with $root.Values.serviceAccount }}
    serviceAccountName: {{ ternary "default" .name (or .create (empty .name)) }}
    {{- end }}
    {{- else }}
    serviceAccountName: {{ include "tideport.serviceAccountName" $root }}
    {{- end }}
    {{- include "tideport.podBase" (dict "root" $root "pod" .values) | nindent 4 }}
    {{- include "tideport.affinity" . | nindent 4 }}
    {{- with .values.extraInitContainers }}
    initContainers:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    containers:
      - name: {{ .name }}
        args: {{ toJson .args }}
        {{- $env := printf "- {name: LOG_LEVEL, value: %s}\n- {name: SERVICE_ENV, value: %s}\n%s\n%s" $root.Values.config.logLevel $root.Values.config.serviceEnv (include "tideport.env.tls" $root) .env }}
        {{- include "tideport.container" (merge (dict "env" $env) .) | nindent 8 }}
    volumes:
      {{- include "tideport.volumes" (dict "root" $root "name" .name "needs" .needs) | nindent 6 }}
      {{- with .values.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}

{{/* Containers of pods that are not services, without name and args. Takes root, values (merged), env (YAML), and needs. */}}
{{- define "tideport.container" -}}
image: {{ include "tideport.image" (dict "root" .root "image" .values.image) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  {{- include "tideport.overlaid" (dict "env" (.env | fromYamlArray) "over" (default list .values.extraEnv)) | nindent 2 }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
securityContext:
  {{- toYaml .values.securityContext | nindent 2 }}
volumeMounts:
  {{- include "tideport.volumeMounts" (dict "root" .root "needs" .needs) | nindent 2 }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
