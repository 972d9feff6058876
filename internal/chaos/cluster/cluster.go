// Package cluster starts a small database cluster with fail-over on this machine, on loopback only: three PostgreSQL
// servers under Patroni, etcd, and HAProxy in front of them and of the nodes of Frontdesk. Tests and chaos runs use it. It
// knows nothing of what the database holds.
package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Cluster is a running cluster. Close it.
type Cluster struct {
	Folder    string // of everything, removed by Close
	Databases []*Database
	URL       string   // the database, by HAProxy's way to the primary
	Replicas  string   // the database, by HAProxy's way to a server that follows the primary
	HTTP      string   // HAProxy's way to a node that is ready, as an address with a port
	Nodes     []string // the addresses at which HAProxy expects the nodes

	etcd   string // its address
	etcdTo string // where its peers would find it
	owner  *syscall.Credential
	keeper *keeper
	binDir string
}

// Database is a PostgreSQL server and the Patroni that runs it.
type Database struct {
	Name    string
	Address string // of PostgreSQL
	REST    string // the address of Patroni's health checks
	cluster *Cluster
	patroni *Process
}

// databases and nodes are how many there are.
const databases, nodes = 3, 3

// dbUser and dbName are those of the database. Connections need no password: they come from this machine alone.
const dbUser, dbName = "frontdesk", "postgres"

// Start starts a cluster and waits until it has a primary and a standby that commits with it. However this process ends,
// everything in the cluster's folder ends and goes with it.
func Start(ctx context.Context) (_ *Cluster, err error) {
	c := &Cluster{}
	if c.binDir, err = postgresPrograms(); err != nil {
		return nil, err
	}
	for _, program := range []string{"etcd", "patroni", "haproxy"} {
		if _, err := lookUp(program); err != nil {
			return nil, err
		}
	}
	if c.owner, err = databaseOwner(); err != nil {
		return nil, err
	}
	if c.Folder, err = os.MkdirTemp("", "frontdesk-cluster."); err != nil {
		return nil, err
	}
	if c.keeper, err = startKeeper(c.Folder); err != nil {
		os.RemoveAll(c.Folder)
		return nil, err
	}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close ends everything that runs in the cluster's folder, and removes it.
func (c *Cluster) Close() error { return c.keeper.close() }

func (c *Cluster) start(ctx context.Context) error {
	if err := os.Chmod(c.Folder, 0o755); err != nil {
		return err
	}
	if c.owner != nil {
		if err := os.Chown(c.Folder, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	p := &ports{}
	c.etcd, c.etcdTo, c.HTTP = p.free(), p.free(), p.free()
	c.URL, c.Replicas = databaseURL(p.free()), databaseURL(p.free())
	for range nodes {
		c.Nodes = append(c.Nodes, p.free())
	}
	for n := range databases {
		d := &Database{Name: fmt.Sprintf("db%d", n+1), Address: p.free(), REST: p.free(), cluster: c}
		if err := errors.Join(d.mountDisk(), c.write(d.Name+".yml", patroniConfig(c, d))); err != nil {
			return err
		}
		c.Databases = append(c.Databases, d)
	}
	if p.err != nil {
		return p.err
	}
	if err := c.write("haproxy.cfg", haproxyConfig(c)); err != nil {
		return err
	}
	if _, err := c.run("etcd", "etcd", "--enable-v2=true", "--data-dir", filepath.Join(c.Folder, "etcd"), "--name", "etcd",
		"--listen-client-urls", "http://"+c.etcd, "--advertise-client-urls", "http://"+c.etcd,
		"--listen-peer-urls", "http://"+c.etcdTo, "--initial-advertise-peer-urls", "http://"+c.etcdTo, "--initial-cluster", "etcd=http://"+c.etcdTo); err != nil {
		return err
	}
	for _, d := range c.Databases {
		if err := d.Start(); err != nil {
			return err
		}
	}
	if _, err := c.run("haproxy", "haproxy", "-db", "-f", filepath.Join(c.Folder, "haproxy.cfg")); err != nil {
		return err
	}
	if err := c.AwaitStandbys(ctx, databases-1); err != nil {
		return err
	}
	return await(ctx, "HAProxy's way to the primary", func() bool { return c.answersThrough(ctx) })
}

// databaseURL returns the URL of the database at an address.
func databaseURL(address string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", dbUser, address, dbName)
}

// addressOf returns the address in a URL of ours.
func addressOf(databaseURL string) string {
	u, _ := url.Parse(databaseURL) // made by us
	return u.Host
}

// answersThrough reports whether a connection through HAProxy reaches a server: PostgreSQL answers a request for TLS with
// one letter, and HAProxy closes a connection for which it has no server.
func (c *Cluster) answersThrough(ctx context.Context) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addressOf(c.URL))
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
		return false
	}
	n, _ := conn.Read(make([]byte, 1))
	return n == 1
}

func (c *Cluster) write(name, text string) error {
	return os.WriteFile(filepath.Join(c.Folder, name), []byte(text), 0o644)
}

// run starts a program of the cluster under a name, as the owner of the databases.
func (c *Cluster) run(name, program string, args ...string) (*Process, error) {
	path, err := lookUp(program)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=" + c.Folder}
	return c.Run(name, cmd)
}

// Run starts a process that ends with the cluster. Its output goes to a file of the cluster's folder, which becomes its
// working directory: that is how the keeper knows it.
func (c *Cluster) Run(name string, cmd *exec.Cmd) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(c.Folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true // the terminal's Ctrl-C is for us alone
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Folder, log, log
	return startProcess(cmd)
}

// Start starts a database that does not run. What was killed before joins again.
func (d *Database) Start() (err error) {
	d.patroni, err = d.cluster.run(d.Name, "patroni", filepath.Join(d.cluster.Folder, d.Name+".yml"))
	return err
}

// Kill kills the server and its Patroni without a warning, as a machine that loses its power.
func (d *Database) Kill() error {
	d.patroni.Kill()
	return d.KillServer()
}

// KillServer kills PostgreSQL without a warning. Its Patroni finds out.
func (d *Database) KillServer() error { return signalIn(d.data(), syscall.SIGKILL) }

// Freeze stops all processes of the database and its Patroni, as a machine that hangs. Thaw lets them go on.
func (d *Database) Freeze() error { return d.signal(syscall.SIGSTOP) }

// Thaw lets a database go on that was frozen.
func (d *Database) Thaw() error { return d.signal(syscall.SIGCONT) }

func (d *Database) signal(s syscall.Signal) error {
	d.patroni.Signal(s)
	return signalIn(d.data(), s)
}

// Runs reports whether the database's Patroni runs.
func (d *Database) Runs() bool { return d.patroni.Runs() }

// Patroni returns the id of the Patroni process.
func (d *Database) Patroni() int { return d.patroni.ID() }

// disk is the folder of everything that the database writes, and data PostgreSQL's in it.
func (d *Database) disk() string { return filepath.Join(d.cluster.Folder, d.Name) }
func (d *Database) data() string { return filepath.Join(d.disk(), "data") }

// Standby reports whether the database follows the primary.
func (d *Database) Standby() bool { return d.is("replica") }

// Synchronous reports whether the primary waits for this database before it acknowledges a commit.
func (d *Database) Synchronous() bool { return d.is("synchronous") }

// is reports whether Patroni says that its server has a role.
func (d *Database) is(role string) bool { return d.ask(role, nil) == nil }

// Primary returns the database that takes writes, or nil.
func (c *Cluster) Primary() *Database {
	for _, d := range c.Databases {
		if d.is("primary") {
			return d
		}
	}
	return nil
}

// AwaitStandbys waits until there is a primary, n standbys follow it, and Patroni would promote one of them: it commits with
// the primary, and Patroni has written that down.
func (c *Cluster) AwaitStandbys(ctx context.Context, n int) error {
	return await(ctx, "a primary with its standbys", func() bool {
		d := c.Primary()
		if d == nil {
			return false
		}
		var seen struct {
			Replication []struct {
				Name  string `json:"application_name"`
				State string
				Sync  string `json:"sync_state"`
			}
		}
		var known struct{ Members []struct{ Name, Role string } }
		if d.ask("patroni", &seen) != nil || d.ask("cluster", &known) != nil {
			return false
		}
		following, commits := 0, false
		for _, r := range seen.Replication {
			if r.State == "streaming" {
				following++
			}
			for _, m := range known.Members {
				commits = commits || r.Sync == "sync" && m.Name == r.Name && m.Role == "sync_standby"
			}
		}
		return following >= n && commits
	})
}

// ask reads what Patroni says.
func (d *Database) ask(path string, v any) error {
	client := &http.Client{Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	r, err := client.Get("http://" + d.REST + "/" + path)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return errors.New(r.Status)
	}
	if v == nil {
		return nil
	}
	return json.NewDecoder(r.Body).Decode(v)
}

// Switchover asks Patroni to make another server the primary, as an operator does before maintenance.
func (c *Cluster) Switchover(ctx context.Context) error {
	d := c.Primary()
	if d == nil {
		return errors.New("there is no primary")
	}
	body, err := json.Marshal(map[string]string{"leader": d.Name})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+d.REST+"/switchover", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	said, _ := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("Patroni refused to switch over: %s %s", r.Status, said)
	}
	return nil
}

// await polls other processes until ok. It is for what takes seconds.
func await(ctx context.Context, what string, ok func() bool) error {
	for !ok() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// lookUp finds a program, also where Debian puts servers.
func lookUp(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + program)
	}
	if err != nil {
		return "", fmt.Errorf("%s is not installed", program)
	}
	return path, nil
}

// postgresPrograms returns the folder of the newest PostgreSQL server of this machine.
func postgresPrograms() (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	best, newest := "", 0
	for _, folder := range folders {
		version, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
		if _, err := os.Stat(filepath.Join(folder, "postgres")); err == nil && version > newest {
			best, newest = folder, version
		}
	}
	if best == "" {
		path, err := exec.LookPath("postgres")
		if err != nil {
			return "", errors.New("no PostgreSQL server is installed")
		}
		best = filepath.Dir(path)
	}
	return best, nil
}

// databaseOwner returns who runs the databases: PostgreSQL refuses to run as root. Nil means us.
func databaseOwner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}
