package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// hideFolder is the folder in which the test's own process, run again, leaves a process behind.
const hideFolder = "FRONTDESK_TEST_CLUSTER_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(hideFolder); folder != "" {
		leaveBehind(folder)
	}
	os.Exit(m.Run())
}

// leaveBehind starts a keeper and what it keeps, and then waits to be killed.
func leaveBehind(folder string) {
	c := &Cluster{Folder: folder}
	var err error
	if c.keeper, err = startKeeper(folder); err == nil {
		_, err = c.Run("sleep", exec.Command("sleep", "3600"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "started"), nil, 0o600)
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// However the process ends that started a cluster, what runs in the cluster's folder ends, and the folder goes.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "cluster")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hideFolder+"="+folder)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitTest(t, "a process in the folder", func() bool {
		inside, err := processesIn(folder)
		_, started := os.Stat(filepath.Join(folder, "started"))
		return err == nil && started == nil && len(inside) == 1
	})
	cmd.Process.Kill()
	cmd.Wait()
	awaitTest(t, "the end of everything", func() bool {
		inside, err := processesIn(folder)
		_, there := os.Stat(folder)
		return err == nil && len(inside) == 0 && os.IsNotExist(there)
	})
}

func awaitTest(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) { // polls other processes
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
