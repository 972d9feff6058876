package cluster

import (
	"fmt"
	"strings"
)

// patroniConfig returns the settings of one database. docs/operating.md explains those that matter.
//
// A primary whose machine dies is replaced after ttl, for which Patroni documents 20 seconds as the least. One whose PostgreSQL
// dies is replaced when its Patroni looks next, after loop_wait. ttl must be at least loop_wait + 2 * retry_timeout.
//
// max_wal_size keeps the disks small.
//
// Patroni speaks the older protocol of etcd: with the newer one, Patroni 3.0.2 writes its lease without looking, so a primary
// that hung takes it back from the one that replaced it, and what that one has committed is lost.
func patroniConfig(c *Cluster, d *Database) string {
	port := d.Address[strings.LastIndex(d.Address, ":")+1:]
	return fmt.Sprintf(`scope: frontdesk
name: %[1]s
restapi:
  listen: %[2]s
  connect_address: %[2]s
etcd:
  host: %[3]s
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    primary_start_timeout: 0
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        shared_buffers: 64MB
        wal_log_hints: 'on'
        wal_sender_timeout: 5s
        max_wal_size: 128MB
        unix_socket_directories: ''
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - auth: trust
    - no-sync
postgresql:
  listen: 127.0.0.1:%[4]s
  connect_address: 127.0.0.1:%[4]s
  data_dir: %[5]s
  bin_dir: %[6]s
  pgpass: %[5]s.pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication:
    superuser: {username: %[7]s}
    replication: {username: %[7]s}
    rewind: {username: %[7]s}
  basebackup:
    - checkpoint: fast
  pg_hba:
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
`, d.Name, d.REST, c.etcd, port, d.data(), c.binDir, dbUser)
}

// haproxyConfig returns the settings of HAProxy: one way to the primary, one to servers that follow it, and one to the nodes
// that are ready.
//
// shutdown-sessions ends connections to a server that is no longer the primary, or to a node that no longer answers.
// Otherwise their clients would wait for an answer that never comes.
func haproxyConfig(c *Cluster) string {
	var b strings.Builder
	b.WriteString(`global
    maxconn 2000
defaults
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
`)
	for _, way := range []struct{ role, url string }{{"primary", c.URL}, {"replica", c.Replicas}} {
		fmt.Fprintf(&b, `listen %[1]s
    mode tcp
    bind %[2]s
    option httpchk OPTIONS /%[1]s
    http-check expect status 200
`, way.role, addressOf(way.url))
		for _, d := range c.Databases {
			fmt.Fprintf(&b, "    server %s %s check port %s\n", d.Name, d.Address, d.REST[strings.LastIndex(d.REST, ":")+1:])
		}
	}
	fmt.Fprintf(&b, `listen nodes
    mode http
    bind %s
    timeout server 60s
    timeout check 1s
    timeout queue 5s
    option redispatch 1
    option forwardfor
    option httpchk GET /readyz
    http-check expect status 200
    balance roundrobin
`, c.HTTP)
	for n, node := range c.Nodes {
		fmt.Fprintf(&b, "    server node%d %s check\n", n+1, node)
	}
	return b.String()
}
