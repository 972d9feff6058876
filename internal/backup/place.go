package backup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"frontdesk/internal/blob"
	"frontdesk/internal/seal"
)

// Open opens the place at an address: the path of a folder, or
// s3://ACCESS_KEY:SECRET_KEY@HOST/BUCKET/PREFIX, with the parameters region=NAME,
// path_style=true and insecure=true.
func Open(ctx context.Context, address string, key *seal.Key) (*Place, error) {
	if !strings.HasPrefix(address, "s3://") {
		if strings.Contains(address, "://") {
			return nil, errors.New("backups go to a folder or to s3://…")
		}
		store, err := blob.OpenFolder(address)
		if err != nil {
			return nil, fmt.Errorf("backups: %w", err)
		}
		return NewPlace(store, key), nil
	}
	c, err := parseS3(address)
	if err != nil {
		return nil, err
	}
	store, err := blob.OpenS3(c)
	if err == nil {
		err = store.Check(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("backups: %w", err)
	}
	return NewPlace(store, key), nil
}

// parseS3 reads the address of a bucket. Its errors do not repeat the address, which
// contains a secret.
func parseS3(address string) (c blob.Config, err error) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return c, errors.New("the place for backups is written s3://ACCESS_KEY:SECRET_KEY@HOST/BUCKET/PREFIX; write a slash or a plus in a key as %2F or %2B")
	}
	c.Endpoint, c.AccessKey = u.Host, u.User.Username()
	c.SecretKey, _ = u.User.Password()
	c.Bucket, c.Prefix, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	for what, values := range u.Query() {
		switch value := values[len(values)-1]; what {
		case "region":
			c.Region = value
		case "path_style":
			c.PathStyle = value == "true"
		case "insecure":
			c.Insecure = value == "true"
		default:
			return c, fmt.Errorf("the place for backups has no parameter %q: there are region, path_style and insecure", what)
		}
	}
	return c, nil
}
